import { ownPlace, type Place, placeOf } from "./authority.js";
import type { Scope } from "./calls.js";
import { type Answer, asked, eventOf } from "./decide.js";
import { checkDigest } from "./decision.js";
import { end, tell } from "./endings.js";
import { AckError, messageOf } from "./error.js";
import { isHeld, isLeft, isLive } from "./holds.js";
import type { House } from "./house.js";
import { carryOnOrphans, recover } from "./recovery.js";
import { type Bound, resumeRun, siblingsOf, startOnce, undelivered } from "./resume.js";
import type { Context, ResumeRunner, SessionKey } from "./types.js";
import type { Event, View } from "./wasm/types.js";

/** What became of an answer: `recorded` now, answered or ended `before` (`same`: alike), or about nothing that is known. */
export interface Answered {
  readonly confirmationId: string;
  readonly how: "recorded" | "before" | "unknown";
  readonly same: boolean;
}

/** What a run took up: the settled records, and whether another run was given results of theirs. */
export interface TakenUp {
  readonly settled: readonly View[];
  readonly elsewhere: boolean;
}

interface Weighed {
  readonly answer: Answer;
  readonly event?: Event;
  readonly answered?: Answered;
}

/** Records a person's answers that come together: each is checked before any is recorded, and who may not answer knows of nothing. */
export async function answerAll(
  house: House,
  sessionId: string,
  answers: readonly Answer[],
  context: Context,
): Promise<Answered[]> {
  const place = await placeOf(house, sessionId, context);
  const weighed: Weighed[] = [];
  for (const answer of answers) weighed.push(await weigh(house, answer, place, context));
  const answered: Answered[] = [];
  for (const each of weighed) answered.push(each.answered ?? (await record(house, place.key, each)));
  return answered;
}

/** Whether an answer would be taken; nothing is written. */
async function weigh(house: House, answer: Answer, place: Place, context: Context): Promise<Weighed> {
  const { confirmationId } = answer;
  try {
    const view = await asked(house, answer, place, context);
    if (view.stage !== "pending") return { answer, answered: before(view, answer) };
    checkDigest(answer.decision === "approved", answer.expectedDigest, house.settings.requireDigest === true);
    const event = await eventOf(house, answer, view, context);
    await house.records.weigh(place.key, confirmationId, event);
    return { answer, event };
  } catch (error) {
    if (!AckError.is(error)) throw error;
    if (error.code === "not_found") return { answer, answered: { confirmationId, how: "unknown", same: false } };
    if (error.code !== "already_settled") throw error;
    return { answer, answered: { confirmationId, how: "before", same: false } };
  }
}

async function record(house: House, key: SessionKey, { answer, event }: Weighed): Promise<Answered> {
  const { confirmationId } = answer;
  try {
    if (event) await house.records.change(key, confirmationId, event, isHeld(house, key, confirmationId));
    return { confirmationId, how: "recorded", same: true };
  } catch (error) {
    if (!AckError.is(error) || error.code !== "already_settled") throw error;
    return { confirmationId, how: "before", same: false };
  }
}

function before({ payload, decision }: View, answer: Answer): Answered {
  const { confirmationId, status } = payload;
  const word = decision ?? (status === "canceled" ? "abandoned" : status);
  const same = word === answer.decision && answer.editedArguments === undefined;
  return { confirmationId, how: "before", same };
}

/**
 * Carries out, in the run of `scope`, every answered confirmation of its session that no run waits for, and waits for
 * those of `ids` and their siblings that somebody else carries out. INVARIANT: one call, one continuing run: results go
 * on in the run that claims them.
 */
export async function takeUp(house: House, scope: Scope, ids: readonly string[]): Promise<TakenUp> {
  const { key } = await ownPlace(house, scope.sessionId, scope.context);
  const answered = dueViews(house, key, await house.records.views(key), ids);
  // One that fails must not leave the others to run behind its back.
  const ends = await Promise.allSettled(answered.map((view) => settle(house, key, view, scope)));
  const settled = ends.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
  // What was delivered before, and is not asked for here, has had its run.
  const open = settled.filter(({ payload: { confirmationId } }, at) => {
    return ids.includes(confirmationId) || answered[at]?.delivered !== true;
  });
  const here = new Set<string>();
  const runner: ResumeRunner = {
    async *run({ messages }) {
      for (const { toolCallId } of messages) here.add(toolCallId);
      yield { type: "RUN_STARTED" };
    },
  };
  const due = open.filter(({ delivered }) => !delivered);
  for (const view of due.filter(undelivered)) {
    if (!here.has(view.payload.toolCallId)) await resumeRun(house, { runner }, key, view, scope.context);
  }
  const own = due.filter((view) => !undelivered(view));
  await startOnce(house, { runner }, key, own, scope.context);
  // What a recovery has delivered went on there; what this thread's own run had is given once more.
  const gone = open.filter((view) => view.recovered || !view.delivered);
  const elsewhere = gone.some(({ payload }) => !here.has(payload.toolCallId));
  return { settled, elsewhere };
}

function dueViews(house: House, key: SessionKey, views: readonly View[], ids: readonly string[]): View[] {
  const asked = views.filter(({ payload }) => ids.includes(payload.confirmationId));
  const wanted = new Set(asked.flatMap((view) => siblingsOf(house, views, view)));
  // A store that loses writes may have lost a dead owner's claim: what that left is not run again.
  const durable = house.settings.state.durable !== false;
  return views.filter((view) => {
    if (view.stage === "pending") return false;
    if (wanted.has(view)) return true;
    return (view.parked || durable) && isLeft(house, key, view);
  });
}

async function settle(house: House, key: SessionKey, view: View, scope: Scope): Promise<View> {
  const { signal } = scope;
  try {
    let now = view;
    while (now.stage !== "settled") {
      signal?.throwIfAborted();
      now = await recover(house, key, now, scope, false);
    }
    return now;
  } catch (error) {
    const now = signal?.aborted && !house.closing.aborted ? await cancel(house, key, view, scope) : undefined;
    if (now?.stage !== "settled") throw error;
    return now;
  }
}

/** A stopped run ends what nobody has begun to carry out. */
async function cancel(house: House, key: SessionKey, { payload }: View, scope: Scope): Promise<View | undefined> {
  const now = await house.records.view(key, payload.confirmationId);
  if (!now || now.stage === "settled" || isLive(house, key, now)) return now;
  const changed = await end(house, key, now, "canceled", scope.context);
  tell(house, scope, changed);
  return changed.view;
}

/** Carries on, in the background, with what was answered while a run held the session. */
export function carryOn(house: House, bound: () => Bound | undefined, sessionId: string, context: Context): void {
  const work = async (): Promise<void> => {
    const { key } = await ownPlace(house, sessionId, context);
    const runner = bound();
    if (runner) await carryOnOrphans(house, runner, key, await house.records.views(key), context);
  };
  house.running(work()).catch((error: unknown) => {
    if (house.closing.aborted) return;
    house.settings.logger.warn("an answer waits for the thread's next run", { sessionId, error: messageOf(error) });
  });
}
