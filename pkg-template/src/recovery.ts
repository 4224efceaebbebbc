import type { Scope } from "./calls.js";
import { carry } from "./carry.js";
import { callOf, lose, noFor, refuse, tolerant } from "./endings.js";
import { AckError, messageOf } from "./error.js";
import { isLive } from "./holds.js";
import type { House } from "./house.js";
import { type Bound, resumeRun, undelivered } from "./resume.js";
import { Seat } from "./seat.js";
import type { Context, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** Throws what stands in the way of a recovery, before anything is consumed. */
export async function checkRecoverable(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  context: Context,
): Promise<Bound> {
  house.closing.throwIfAborted();
  if (!bound) {
    const advice = "call `resumeWith` or `wrapAgent` first";
    throw new AckError("not_bound", `no run waits for this confirmation and no runner is bound: ${advice}`);
  }
  if (house.settings.state.durable === false) {
    throw new AckError(
      "not_bound",
      "the session store may lose writes, so calls without their run are not carried out",
    );
  }
  if (bound.runActive?.(key) || (await house.settings.runActive?.(key.session, context))) {
    throw new AckError("run_active", "a run is active on this session: decide again when it has ended");
  }
  return bound;
}

/** Carries a decided confirmation out for a run that is gone. Gives its record once somebody has settled it. */
export async function recover(house: House, key: SessionKey, view: View, context: Context): Promise<View> {
  const { confirmationId } = view.payload;
  const seat = new Seat(house, key, confirmationId);
  try {
    if (seat.take()) await act(house, key, view, context, seat);
  } finally {
    seat.leave();
  }
  return house.records.until(
    key,
    confirmationId,
    (now) => (now && (now.stage === "settled" || !isLive(house, key, now)) ? now : undefined),
    house.closing,
  );
}

async function act(house: House, key: SessionKey, view: View, context: Context, seat: Seat): Promise<void> {
  // The signal is nobody's: the client that decided may hang up, the call goes on.
  const scope: Scope = { sessionId: key.session, context };
  if (view.stage === "executing" && !view.runsAgain) {
    await tolerant(lose(house, key, view, true));
    return;
  }
  const no = await noFor(house, view, scope);
  if (no) {
    house.closing.throwIfAborted();
    // A tool that was started may have run: its message must say so.
    const lost = view.stage === "executing";
    await tolerant(lost ? lose(house, key, view, true) : refuse(house, key, view, no, true));
  } else {
    const tool = await house.tool(callOf(view), context);
    await carry(house, { key, view, seat, scope, recovery: true, run: tool?.run });
  }
}

/** Answered or begun, and its owner is gone. */
export function isOrphan(house: House, key: SessionKey, view: View): boolean {
  return !view.parked && !isLive(house, key, view) && (view.stage === "decided" || view.stage === "executing");
}

/** Carries on with what dead owners left: every reader does it. Gives how many that succeeded with. */
export async function carryOnOrphans(
  house: House,
  bound: Bound,
  key: SessionKey,
  views: readonly View[],
  context: Context,
): Promise<number> {
  const attempts = views.map(async (view): Promise<boolean> => {
    if (!isOrphan(house, key, view) && !undelivered(view)) return false;
    // One attempt at a time for each record, however often a page polls.
    const leave = house.holds.take(key, `o:${view.payload.confirmationId}`);
    if (!leave) return false;
    try {
      await house.running(carryOn(house, bound, key, view, context));
      return true;
    } catch (error) {
      if (AckError.is(error) && (error.code === "run_active" || error.code === "closed")) return false;
      house.settings.logger.warn("an orphan could not be carried on with", { error: messageOf(error) });
      return false;
    } finally {
      leave();
    }
  });
  return (await Promise.all(attempts)).filter((carried) => carried).length;
}

async function carryOn(house: House, bound: Bound, key: SessionKey, view: View, context: Context): Promise<void> {
  const free = await checkRecoverable(house, bound, key, context);
  const settled = view.stage === "settled" ? view : await recover(house, key, view, context);
  if (undelivered(settled)) await resumeRun(house, free, key, settled, context);
}
