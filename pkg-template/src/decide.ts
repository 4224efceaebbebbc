import { end } from "./confirmations.js";
import { AckError } from "./error.js";
import type { House } from "./house.js";
import type { Owner } from "./judge.js";
import { type Bound, checkRecoverable, recover, resumeRun } from "./recovery.js";
import type { Context, DecideResult, Decision, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** Records a person's answer and sees to it that it is carried out: by the run that waits, or here. */
export async function decide(
  house: House,
  bound: Bound | undefined,
  decision: Decision,
  key: SessionKey,
  owner: Owner,
  context: Context,
): Promise<DecideResult> {
  check(decision, owner, house);
  const { records } = house;
  const { confirmationId } = decision;
  const before = await current(house, key, confirmationId, context);
  if (before.stage === "pending" && !before.live && !before.parked) await checkRecoverable(house, bound, key, context);
  const { commands } = await records.change(key, confirmationId, {
    type: "decide",
    decision: decision.approved ? "approved" : "denied",
    decidedBy: decision.decidedBy || context.user || house.settings.user || "user",
    remember: decision.remember,
    note: decision.note,
  });
  const replayed = commands.some((command) => command.type === "replayed");
  const view = await carriedOut(house, bound, key, confirmationId, context);
  if (view.recovered && !view.delivered) {
    await resumeRun(house, await checkRecoverable(house, bound, key, context), key, view, context);
  }
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
      (now = missing(confirmationId)) => (now.stage === "settled" || !now.live ? now : undefined),
      house.closing,
    );
    // A parked answer waits for whoever asks again.
    if (view.stage === "settled" || view.parked) return view;
    await checkRecoverable(house, bound, key, context);
    await recover(house, key, view, context);
  }
}

/** The record as it is now; a question past its deadline is ended first. */
export async function current(house: House, key: SessionKey, confirmationId: string, context: Context): Promise<View> {
  const view = (await house.records.view(key, confirmationId)) ?? missing(confirmationId);
  return view.overdue ? (await end(house, key, confirmationId, view.overdue, context)).view : view;
}

function missing(confirmationId: string): never {
  throw new AckError("not_found", `there is no confirmation \`${confirmationId}\` in this session`);
}

function check(decision: Decision, owner: Owner, house: House): void {
  const { approved, remember, confirmationId, sessionId } = decision;
  if (typeof approved !== "boolean") throw bad("`approved` must be true or false");
  if (typeof confirmationId !== "string" || typeof sessionId !== "string")
    throw bad("`sessionId` and `confirmationId` must be texts");
  if (remember !== undefined && remember !== "session" && remember !== "global") {
    throw bad(`\`remember\` is \`${String(remember)}\`, it must be \`session\` or \`global\``);
  }
  if (approved && remember === "global" && house.settings.grants && !owner.named) {
    throw new AckError("forbidden", "a global grant needs a person: give `context.user`, `user` or `owner`");
  }
}

function bad(message: string): AckError {
  return new AckError("bad_request", message);
}
