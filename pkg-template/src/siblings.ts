import { callOf, tolerant } from "./endings.js";
import { messageOf } from "./error.js";
import { isHeld, isLive } from "./holds.js";
import type { House } from "./house.js";
import type { Context, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/**
 * Answers the session's other waiting questions that a grant covers by now; each is carried out by the run that waits
 * for it. What a source insists on a person for stays open. It goes on in the background and fails nobody.
 */
export function settleSiblings(house: House, key: SessionKey, context: Context): void {
  const { settings } = house;
  if (settings.settleSiblings !== true) return;
  house.running(passAll(house, key, context)).catch((error: unknown) => {
    settings.logger.warn("waiting questions stay open that a grant may cover", { error: messageOf(error) });
  });
}

async function passAll(house: House, key: SessionKey, context: Context): Promise<void> {
  // One after another: each takes its use of the grant.
  for (const view of await house.records.views(key)) {
    if (view.stage !== "pending" || !isLive(house, key, view) || view.payload.forced || view.overdue) continue;
    if (!(await covered(house, view, context))) continue;
    const { confirmationId } = view.payload;
    await tolerant(house.records.change(key, confirmationId, { type: "pass" }, isHeld(house, key, confirmationId)));
  }
}

async function covered(house: House, view: View, context: Context): Promise<boolean> {
  const { sessionId, userId } = view.payload;
  const owner = await house.ownerOf(sessionId, context);
  if (owner.user !== userId) return false;
  const scope = { sessionId, context };
  const { outcome } = await house.judge.judge({ call: callOf(view), scope }, owner, "act");
  return outcome.disposition === "allow" && outcome.basis === "grant";
}
