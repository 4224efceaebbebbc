import { tolerant } from "./endings.js";
import { messageOf } from "./error.js";
import type { House } from "./house.js";
import type { SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** At most so many records of a session shrink at one reading. */
const AT_ONCE = 50;

/** Shrinks the records of a session that are delivered and old, or not among its newest ones, to their tombstones. */
export async function shrinkOld(house: House, key: SessionKey, views: readonly View[]): Promise<void> {
  const { settings, records } = house;
  const now = records.moment().nowMs;
  const settledAt = ({ payload }: View): number => payload.settledAt ?? 0;
  const expendable = views.filter((view) => view.expendable).sort((a, b) => settledAt(b) - settledAt(a));
  const old = expendable.filter(
    (view, index) => index >= settings.keep.count || now - settledAt(view) > settings.keep.ms,
  );
  for (const { payload } of old.slice(-AT_ONCE)) {
    try {
      await tolerant(records.change(key, payload.confirmationId, { type: "shrink" }));
    } catch (error) {
      settings.logger.warn("an old record could not be made small", { error: messageOf(error) });
      return;
    }
  }
}
