import { auditSettled, ruleOf } from "./audit.js";
import type { Scope } from "./calls.js";
import { AckError, messageOf } from "./error.js";
import { isHeld, isOrphan } from "./holds.js";
import type { House } from "./house.js";
import type { Changed } from "./records.js";
import type { Basis, Context, Payload, SessionKey, ToolCall } from "./types.js";
import type { Ending, Refusal, View } from "./wasm/types.js";
import { customEvent } from "./words.js";

/** Ends a question without a person's decision; the writer whose save succeeded fires the call's one event. */
export async function end(
  house: House,
  key: SessionKey,
  view: View,
  ending: Ending,
  context: Context,
  owner?: string,
): Promise<Changed> {
  const changed = await endQuietly(house, key, view, ending, owner);
  fireTerminal(house, changed, context);
  if (changed.commands.length > 0) auditSettled(house, changed.view, "none");
  return changed;
}

/**
 * The record as it is now: a question past its deadline is ended, and one of this instance that none of its calls waits
 * for. INVARIANT: such a call was refused when its question could not be recorded, so nobody may carry it out.
 */
export async function endDead(house: House, key: SessionKey, view: View, context: Context): Promise<View> {
  if (view.overdue) return (await end(house, key, view, view.overdue, context)).view;
  if (house.settings.state.durable === false && isOrphan(house, key, view)) return forsake(house, key, view);
  const { owner, stage, payload } = view;
  const open = stage === "pending" || stage === "decided";
  if (!open || owner !== house.instance || isHeld(house, key, payload.confirmationId)) return view;
  return (await endQuietly(house, key, view, "canceled", owner)).view;
}

/**
 * Ends what a dead owner left in a store that loses writes: its claim may be among them, so it is not carried out, and
 * it must not stay open.
 */
async function forsake(house: House, key: SessionKey, view: View): Promise<View> {
  if (view.stage === "executing") return (await tolerant(lose(house, key, view, false)))?.view ?? view;
  const { confirmationId, toolName } = view.payload;
  const detail = "it was approved, but whether it was run is not known";
  const result = refusalFor(house, view, { kind: "unavailable", toolName, detail });
  const end = { type: "end", ending: "canceled", owner: undefined, result } as const;
  const changed = await tolerant(house.records.change(key, confirmationId, end));
  if (changed !== undefined && changed.commands.length > 0) auditSettled(house, changed.view, "unknown");
  return changed?.view ?? view;
}

/** The same for a call whose event has been fired. */
export function endQuietly(
  house: House,
  key: SessionKey,
  view: View,
  ending: Ending,
  owner: string | undefined,
): Promise<Changed> {
  const result = refusalFor(house, view, { kind: ending });
  return house.records.change(key, view.payload.confirmationId, { type: "end", ending, owner, result });
}

/** Fires the one event of a call that nobody decided about, when the core says so; a grant is all that lets one pass. `by`: what denied it. */
export function fireTerminal(house: House, { view, commands }: Changed, context: Context, by?: No["by"]): void {
  const { argumentsDigest: digest } = view.payload;
  for (const command of commands) {
    if (command.type !== "terminal") continue;
    const { basis, source } = by ?? { basis: command.basis, source: "" };
    house.terminal({ call: callOf(view), digest, allowed: command.basis === "grant", basis, source }, context);
  }
}

/** The instance that ran the tool is gone: what it did is not known, and it is not run again. */
export async function lose(house: House, key: SessionKey, view: View, recovery: boolean): Promise<Changed> {
  const detail = "it was started, but whether it finished is not known";
  const refusal: Refusal = { kind: "unavailable", toolName: view.payload.toolName, detail };
  const result = refusalFor(house, view, refusal);
  const changed = await house.records.change(key, view.payload.confirmationId, { type: "lose", recovery, result });
  auditSettled(house, changed.view, "unknown");
  return changed;
}

/** Why an answered confirmation is not carried out. `by` is absent where it is the person's own no. */
export interface No {
  readonly refusal: Refusal;
  readonly by?: { readonly basis: Basis; readonly source: string; readonly rule: string | undefined };
}

/** Carries a no out. */
export async function refuse(
  house: House,
  key: SessionKey,
  view: View,
  { refusal, by }: No,
  recovery: boolean,
  context: Context,
): Promise<Changed> {
  const result = refusalFor(house, view, refusal);
  const event = { type: "refuse", owner: house.instance, recovery, result } as const;
  const changed = await house.records.change(key, view.payload.confirmationId, event);
  fireTerminal(house, changed, context, by);
  auditSettled(house, changed.view, changed.view.execution, by);
  return changed;
}

/** The person's no, or the policy's: after a yes the policy of this moment is asked once more, only its deny counts. */
export async function noFor(house: House, view: View, scope: Scope): Promise<No | undefined> {
  const { toolName, userId } = view.payload;
  if (view.decision === "denied") return { refusal: { kind: "humanDenied", toolName, note: view.note } };
  if (view.decision === "abandoned") return { refusal: { kind: "canceled" } };
  const owner = { user: userId, named: true };
  const { outcome, trace, digest } = await house.judge.judge({ call: callOf(view), scope }, owner, "again");
  if (outcome.disposition !== "deny") {
    // INVARIANT: what runs is what was shown, whatever became of the record in its store.
    if (digest === (view.effectiveDigest ?? view.payload.argumentsDigest)) return undefined;
    const text = `the stored call of \`${view.payload.confirmationId}\` is not the one that was approved; cancel it`;
    throw new AckError("state_corrupt", text);
  }
  const { basis, source } = outcome;
  const refusal: Refusal =
    outcome.refusal.kind === "tierDisabled" ? outcome.refusal : { kind: "tierDisabled", toolName };
  return { refusal, by: { basis, source, rule: ruleOf(source, trace) } };
}

/** The call a record is about, with the arguments that may run. */
export function callOf({ payload, arguments: text }: View): ToolCall {
  const { sessionId, toolCallId, toolName, server } = payload;
  return { sessionId, toolCallId, toolName, ...(server !== undefined && { server }), arguments: text };
}

/** A refusal as the tool message of a record. */
export function refusalFor(house: House, view: View, refusal: Refusal): string {
  return JSON.stringify(house.texts.denial(refusal, callOf(view)));
}

/** Tells the run, and does not wait for it. A failure is logged: the pending query still shows the card. */
export function emit(house: House, scope: Pick<Scope, "emit">, payload: Payload): void {
  const failed = (error: unknown): void =>
    house.settings.logger.warn("an event could not be emitted into the run", {
      tool: payload.toolName,
      error: messageOf(error),
    });
  try {
    Promise.resolve(scope.emit?.(customEvent(payload, house.settings.eventName))).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Tells the run what its own write changed, when the core says so. */
export function tell(house: House, scope: Pick<Scope, "emit">, { view, commands }: Changed): void {
  if (commands.some((command) => command.type === "emit")) emit(house, scope, view.payload);
}

/** Another writer was first: undefined, and the caller reads again. */
export async function tolerant<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (AckError.is(error) && (error.code === "conflict" || error.code === "taken_over")) return undefined;
    throw error;
  }
}
