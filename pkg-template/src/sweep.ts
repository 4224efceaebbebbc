import { AckError, messageOf } from "./error.js";
import type { House } from "./house.js";
import { currentViews } from "./pending.js";
import { carryOnOrphans } from "./recovery.js";
import type { Bound } from "./resume.js";
import type { SessionKey } from "./types.js";

/**
 * Ends what is past its deadline and carries on with what dead owners left, in every session that the store lists, or
 * else in those this instance has seen. Gives the number of confirmations that were carried on with.
 */
export async function sweep(house: House, bound: Bound | undefined): Promise<number> {
  let carried = 0;
  for await (const key of sessionsOf(house)) {
    house.closing.throwIfAborted();
    const context = { user: key.user };
    try {
      const views = await currentViews(house, key, context);
      if (bound) carried += await carryOnOrphans(house, bound, key, views, context);
    } catch (error) {
      if (AckError.is(error) && error.code === "closed") throw error;
      house.settings.logger.warn("a session could not be swept", { session: key.session, error: messageOf(error) });
    }
  }
  return carried;
}

async function* sessionsOf({ settings, records }: House): AsyncGenerator<SessionKey> {
  if (!settings.state.sessions) return yield* records.seen();
  for await (const key of settings.state.sessions({})) if (key.app === settings.app) yield key;
}
