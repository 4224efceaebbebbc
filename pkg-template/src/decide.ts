import { checkMayDecide, missing, type Place } from "./authority.js";
import { editOf } from "./edit.js";
import { endDead } from "./endings.js";
import { AckError } from "./error.js";
import { isHeld, isLive } from "./holds.js";
import type { House } from "./house.js";
import { actorOf } from "./identity.js";
import { checkRecoverable, freeRunner, parkedAnswers, recoverAlone } from "./recovery.js";
import { type Bound, resumeRun, undelivered } from "./resume.js";
import type { Context, DecideResult, Decision, SessionKey } from "./types.js";
import type { Event, View } from "./wasm/types.js";

/** A person's answer in the words of a record; `abandoned` is said by a run's `resume` only. */
export type Answer = Omit<Decision, "sessionId" | "approved"> & {
  readonly decision: "approved" | "denied" | "abandoned";
};

/** Records a person's answer and sees to it that it is carried out: by the run that waits, or here. */
export async function decide(
  house: House,
  bound: Bound | undefined,
  decision: Decision,
  place: Place,
  context: Context,
): Promise<DecideResult> {
  const { approved, sessionId: _, ...rest } = decision;
  const answer: Answer = { ...rest, decision: approved ? "approved" : "denied" };
  const { confirmationId } = answer;
  const { key } = place;
  const before = await asked(house, answer, place, context);
  if (before.stage === "pending" && !before.parked && !isLive(house, key, before)) {
    await checkRecoverable(house, bound, key, context);
  }
  const event = await eventOf(house, answer, before, context);
  const { commands } = await house.records.change(key, confirmationId, event, isHeld(house, key, confirmationId));
  const replayed = commands.some((command) => command.type === "replayed");
  const view = await carriedOut(house, bound, key, confirmationId, context);
  if (undelivered(view)) {
    const free = await freeRunner(house, bound, key, view, context);
    if (free) await resumeRun(house, free, key, view, context);
  }
  const path = view.recovered || view.parked ? "recovery" : "live";
  return { path, status: view.payload.status, ...(replayed && { replayed }) };
}

/** The question as it is now, for a person who may answer it so; a question past its deadline is ended first. */
export async function asked(house: House, answer: Answer, place: Place, context: Context): Promise<View> {
  const { confirmationId } = answer;
  if (!place.own && !house.settings.mayDecide) throw missing(confirmationId);
  checkGlobal(house, answer, place);
  const view = await house.records.view(place.key, confirmationId);
  if (!view) throw missing(confirmationId);
  const now = await endDead(house, place.key, view, context);
  await checkMayDecide(house, place, now.payload, context);
  return now;
}

/** An answer as the event to record. An edit is judged first. */
export async function eventOf(house: House, answer: Answer, before: View, context: Context): Promise<Event> {
  const { decision, decidedBy, remember, note, expectedDigest, grant } = answer;
  return {
    type: "decide",
    decision,
    decidedBy: decidedBy || actorOf(house.settings, context),
    remember,
    note,
    expectedDigest,
    edited: await editOf(house, answer, before, context),
    grant,
  };
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
    if (view.stage === "settled") return view;
    if (!view.parked) {
      await checkRecoverable(house, bound, key, context);
      await recoverAlone(house, key, view, context);
      continue;
    }
    // A parked answer waits for the thread's next run, unless nothing of its run is open any more and a new one may start.
    const answers = await parkedAnswers(house, bound, key, view, context);
    if (answers.length === 0) return view;
    await Promise.all(answers.map((each) => recoverAlone(house, key, each, context)));
  }
}

/** What is remembered for every session is the session's own user's to say, and that must be somebody in particular. */
function checkGlobal({ settings }: House, { decision, remember }: Answer, { own, owner }: Place): void {
  if (decision !== "approved" || remember !== "global" || !settings.grants) return;
  if (!own) throw new AckError("forbidden", "only the session's own user can have a global grant saved");
  if (owner.named) return;
  throw new AckError("forbidden", "a global grant needs a person: give `context.user`, `user` or `owner`");
}
