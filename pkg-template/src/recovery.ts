import type { Scope } from "./calls.js";
import { carry, stopped } from "./carry.js";
import { callOf, lose, noFor, refuse, tell, tolerant } from "./endings.js";
import { AckError, messageOf } from "./error.js";
import { isLeft, isLive } from "./holds.js";
import type { House } from "./house.js";
import { type Bound, resumeRun, siblingsOf, undelivered } from "./resume.js";
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

/** Who may carry on now. None where another run holds the thread and takes a parked answer up, at its start or after it. */
export async function freeRunner(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  view: View,
  context: Context,
): Promise<Bound | undefined> {
  try {
    return await checkRecoverable(house, bound, key, context);
  } catch (error) {
    if (view.parked && AckError.is(error) && error.code === "run_active") return undefined;
    throw error;
  }
}

/** The parked answers of a call's run that may be carried out without another run: none while one of it is open. */
export async function parkedAnswers(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  view: View,
  context: Context,
): Promise<View[]> {
  if (!bound || house.settings.state.durable === false) return [];
  const siblings = siblingsOf(house, await house.records.views(key), view);
  if (siblings.some(({ stage }) => stage === "pending")) return [];
  if (!(await freeRunner(house, bound, key, view, context))) return [];
  return siblings.filter((each) => each.parked && each.stage !== "settled");
}

/**
 * Carries a decided confirmation out where no run waits for it: in another run (`scope`), or in none (`recovery`). Gives
 * its record once somebody has settled it.
 */
export async function recover(
  house: House,
  key: SessionKey,
  view: View,
  scope: Scope,
  recovery: boolean,
): Promise<View> {
  const { confirmationId } = view.payload;
  const seat = new Seat(house, key, confirmationId);
  try {
    if (seat.take()) await house.running(act(house, key, view, scope, recovery, seat));
  } finally {
    seat.leave();
  }
  const { closing } = house;
  return house.records.until(
    key,
    confirmationId,
    (now) => (now && (now.stage === "settled" || !isLive(house, key, now)) ? now : undefined),
    scope.signal ? AbortSignal.any([closing, scope.signal]) : closing,
  );
}

/** The same without any run. The signal is nobody's: the client that decided may hang up, the call goes on. */
export function recoverAlone(house: House, key: SessionKey, view: View, context: Context): Promise<View> {
  return recover(house, key, view, { sessionId: key.session, context }, true);
}

async function act(
  house: House,
  key: SessionKey,
  view: View,
  scope: Scope,
  recovery: boolean,
  seat: Seat,
): Promise<void> {
  if (view.stage === "executing" && !view.runsAgain) {
    await tolerant(lose(house, key, view, recovery));
    return;
  }
  const no = await noFor(house, view, scope);
  // What a stopped judgement says is no refusal.
  if (stopped(house, scope)) return;
  if (no) {
    // A tool that was started may have run: its message must say so.
    const lost = view.stage === "executing";
    const changed = await tolerant(
      lost ? lose(house, key, view, recovery) : refuse(house, key, view, no, recovery, scope.context),
    );
    if (changed) tell(house, scope, changed);
  } else {
    const tool = await house.tool(callOf(view), scope.context);
    await carry(house, { key, view, seat, scope, recovery, run: tool?.run });
  }
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
    const asking = (): boolean => siblingsOf(house, views, view).some(({ stage }) => stage === "pending");
    const due = isLeft(house, key, view) && !(view.parked && asking());
    if (!due && !undelivered(view)) return false;
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
  const settled = view.stage === "settled" ? view : await recoverAlone(house, key, view, context);
  if (undelivered(settled)) await resumeRun(house, free, key, settled, context);
}
