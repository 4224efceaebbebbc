import { checkMayDecide, missing, type Place } from "./authority.js";
import { editOf } from "./edit.js";
import { endDead } from "./endings.js";
import { AckError } from "./error.js";
import { isLive } from "./holds.js";
import type { House } from "./house.js";
import { actorOf } from "./identity.js";
import { checkRecoverable, recover } from "./recovery.js";
import { type Bound, resumeRun, undelivered } from "./resume.js";
import type { Context, DecideResult, Decision, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** Records a person's answer and sees to it that it is carried out: by the run that waits, or here. */
export async function decide(
  house: House,
  bound: Bound | undefined,
  decision: Decision,
  place: Place,
  context: Context,
): Promise<DecideResult> {
  const { confirmationId } = decision;
  const { key } = place;
  if (!place.own && !house.settings.mayDecide) throw missing(confirmationId);
  checkGlobal(house, decision, place);
  const before = await current(house, key, confirmationId, context);
  await checkMayDecide(house, place, before.payload, context);
  if (before.stage === "pending" && !before.parked && !isLive(house, key, before)) {
    await checkRecoverable(house, bound, key, context);
  }
  const edited = await editOf(house, decision, before, context);
  const event = {
    type: "decide",
    decision: decision.approved ? "approved" : "denied",
    decidedBy: decision.decidedBy || actorOf(house.settings, context),
    remember: decision.remember,
    note: decision.note,
    expectedDigest: decision.expectedDigest,
    edited,
    grant: decision.grant,
  } as const;
  const alive = house.holds.has(key, `c:${confirmationId}`);
  const { commands } = await house.records.change(key, confirmationId, event, alive);
  const replayed = commands.some((command) => command.type === "replayed");
  const view = await carriedOut(house, bound, key, confirmationId, context);
  if (undelivered(view)) await resumeRun(house, await checkRecoverable(house, bound, key, context), key, view, context);
  const path = view.recovered || view.parked ? "recovery" : "live";
  return { path, status: view.payload.status, ...(replayed && { replayed }) };
}

/** Waits until the answer's path is a fact and its result is settled. */
async function carriedOut(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  confirmationId: string,
  context: Context,
): Promise<View> {
  while (true) {
    const view = await house.records.until(
      key,
      confirmationId,
      (now) => {
        if (!now) throw missing(confirmationId);
        return now.stage === "settled" || !isLive(house, key, now) ? now : undefined;
      },
      house.closing,
    );
    // A parked answer waits for whoever asks again.
    if (view.stage === "settled" || view.parked) return view;
    await checkRecoverable(house, bound, key, context);
    await recover(house, key, view, context);
  }
}

/** The record as it is now; a question past its deadline is ended first. */
async function current(house: House, key: SessionKey, confirmationId: string, context: Context): Promise<View> {
  const view = await house.records.view(key, confirmationId);
  if (!view) throw missing(confirmationId);
  return endDead(house, key, view, context);
}

/** What is remembered for every session is the session's own user's to say, and that must be somebody in particular. */
function checkGlobal({ settings }: House, { approved, remember }: Decision, { own, owner }: Place): void {
  if (!approved || remember !== "global" || !settings.grants) return;
  if (!own) throw new AckError("forbidden", "only the session's own user can have a global grant saved");
  if (owner.named) return;
  throw new AckError("forbidden", "a global grant needs a person: give `context.user`, `user` or `owner`");
}
