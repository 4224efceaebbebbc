import { type Prepared, type Scope, withInput } from "./calls.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import type { House } from "./house.js";
import { endingOf, type Owner } from "./judge.js";
import type { Changed } from "./records.js";
import type { Call, Context, Payload, SessionKey, ToolCall } from "./types.js";
import type { Ending, Outcome, Refusal, Survey, View } from "./wasm/types.js";
import { customEvent } from "./words.js";

/** Longer tool-call ids can't be record ids ("c:" and at most 256 bytes). */
const MAX_ID_BYTES = 254;

/** A question that is open: its record, and how this call came to it. */
export interface Opened {
  readonly key: SessionKey;
  readonly confirmationId: string;
  /** `own`: this call opened it or waits in its owner's place; `joined`: another call's, whose outcome is shared. */
  readonly role: "own" | "joined" | "replayed" | "refused";
  readonly view: View;
}
export type Confirm = Extract<Outcome, { disposition: "confirm" }>;

/** Opens the confirmation of a call, or finds the one that answers it. `wait: false` parks a new one. */
export async function open(
  house: House,
  prepared: Prepared,
  asked: Confirm,
  owner: Owner,
  key: SessionKey,
  traits: { idempotent?: boolean | undefined; wait: boolean },
): Promise<Opened> {
  const { settings, records, instance } = house;
  const { scope, call } = prepared;
  const repeat = { toolName: call.toolName, digest: asked.digest, runId: scope.runId };
  const stored = await records.stored(key);
  const survey = engine.survey(stored, call.toolCallId, repeat, records.moment());
  const found = settings.duplicate === "ask" ? undefined : survey.found;
  if (found && (settings.duplicate === "deny" || found.duplicate === "refuse")) {
    return opened(house, key, found.confirmationId, "refused");
  }
  if (found) return repeated(house, key, found, traits.wait);
  if (survey.open >= settings.limits.open)
    throw new AckError(
      "conflict",
      `${survey.open} confirmations are open in this session, the limit is ${settings.limits.open}`,
    );
  const now = records.moment().nowMs;
  const confirmationId = idFor(call, survey);
  const { view } = await records.change(key, confirmationId, {
    type: "request",
    confirmationId,
    call: { ...call, arguments: asked.arguments },
    digest: asked.digest,
    userId: owner.user,
    forced: asked.forced,
    reason: asked.reason,
    suggestions: asked.suggestions,
    expiresAt: settings.timeoutMs === undefined ? undefined : now + Math.ceil(settings.timeoutMs),
    askedBy: scope.context.user !== undefined && scope.context.user !== owner.user ? scope.context.user : undefined,
    runId: scope.runId,
    parents: scope.parents,
    refusedBefore: survey.refusedBefore,
    owner: traits.wait ? instance : undefined,
    idempotent: traits.idempotent ?? false,
  });
  return { key, confirmationId, role: "own", view };
}

async function repeated(
  house: House,
  key: SessionKey,
  found: NonNullable<Survey["found"]>,
  wait: boolean,
): Promise<Opened> {
  const { confirmationId, duplicate } = found;
  switch (duplicate) {
    case "adopt":
      if (!wait) return opened(house, key, confirmationId, "joined");
      return {
        key,
        confirmationId,
        role: "own",
        ...(await house.records.change(key, confirmationId, { type: "adopt", owner: house.instance })),
      };
    case "pickUp":
      return opened(house, key, confirmationId, "own");
    case "join":
    case "lost":
      return opened(house, key, confirmationId, "joined");
    case "replay":
      return opened(house, key, confirmationId, "replayed");
    case "refuse":
    case "fresh":
      return opened(house, key, confirmationId, "refused");
    default:
      return duplicate satisfies never;
  }
}

async function opened(house: House, key: SessionKey, confirmationId: string, role: Opened["role"]): Promise<Opened> {
  const view = await house.records.view(key, confirmationId);
  if (!view) throw new AckError("not_found", `there is no confirmation \`${confirmationId}\` in this session`);
  return { key, confirmationId, role, view };
}

function idFor(call: ToolCall, survey: Survey): string {
  const fits = new TextEncoder().encode(call.toolCallId).length <= MAX_ID_BYTES;
  return survey.taken || !fits ? engine.freshId() : call.toolCallId;
}

/**
 * Waits until somebody has answered, then carries the answer out as this call's: runs `approved` after the claim that
 * it makes, or ends with the refusal. Gives the settled record, or what `approved` gave.
 */
export async function attend<T>(
  house: House,
  question: Opened,
  scope: Scope,
  approved: (view: View) => Promise<T | undefined>,
): Promise<{ view: View; done?: T }> {
  const { records, instance } = house;
  const { key, confirmationId } = question;
  const stopRenewing = keepAlive(house, question);
  try {
    while (true) {
      const view = await answered(house, question, scope);
      if (view.overdue) {
        await end(house, key, confirmationId, view.overdue, scope.context);
        continue;
      }
      if (view.stage === "settled") return { view };
      if (view.stage === "pending") {
        // Nobody that counts as alive waits for it any more: wait in its owner's place.
        await tolerant(records.change(key, confirmationId, { type: "adopt", owner: instance }));
        continue;
      }
      if (view.stage === "executing") {
        await tolerant(lose(house, key, confirmationId, view));
        continue;
      }
      if (view.decision === "denied" || (await refusedAgain(house, view, scope))) {
        await tolerant(refuse(house, key, confirmationId, view, false));
        continue;
      }
      const done = await approved(view);
      if (done !== undefined) return { view, done };
    }
  } finally {
    stopRenewing();
  }
}

/** Waits until there is something to do about the record for this call. */
async function answered(house: House, { key, confirmationId, role }: Opened, scope: Scope): Promise<View> {
  const { records, instance, closing, settings } = house;
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  closing.addEventListener("abort", cancel);
  scope.signal?.addEventListener("abort", cancel);
  let timer = (): void => {};
  try {
    if (closing.aborted || scope.signal?.aborted) stop.abort();
    return await records.until(
      key,
      confirmationId,
      (view) => {
        if (!view) throw new AckError("not_found", `the confirmation \`${confirmationId}\` is gone`);
        const mine = view.owner === instance;
        // INVARIANT: one call, one continuing run: what another instance took over is not this run's any more.
        if (role === "own" && !mine && (view.stage === "executing" || view.recovered)) throw takenOver(confirmationId);
        if (view.stage === "settled" || view.overdue) return view;
        timer();
        if (view.payload.expiresAt !== undefined && view.stage === "pending") {
          timer = settings.clock.setTimeout(
            () => records.wake(key, confirmationId),
            view.payload.expiresAt - records.moment().nowMs,
          );
        }
        if (view.stage === "decided") return mine || !view.live ? view : undefined;
        return view.live ? undefined : view;
      },
      stop.signal,
    );
  } catch (error) {
    if (!stop.signal.aborted || AckError.is(error)) throw error;
    if (closing.aborted)
      throw new AckError("closed", "the gate was closed while the call waited; the question stays open");
    return await stopped(house, key, confirmationId, role, scope);
  } finally {
    timer();
    closing.removeEventListener("abort", cancel);
    scope.signal?.removeEventListener("abort", cancel);
  }
}

/** The run was stopped: its own question ends with it, another call's does not. */
async function stopped(
  house: House,
  key: SessionKey,
  confirmationId: string,
  role: Opened["role"],
  scope: Scope,
): Promise<View> {
  const ending = scope.signal ? endingOf(scope.signal) : "canceled";
  if (role === "own") {
    const changed = await tolerant(end(house, key, confirmationId, ending, scope.context, house.instance));
    if (changed && changed.view.stage === "settled") return changed.view;
    // Already claimed: the signal goes to the tool, and what it did is recorded.
    return house.records.until(
      key,
      confirmationId,
      (view) => (view?.stage === "settled" ? view : undefined),
      house.closing,
    );
  }
  throw new RunStopped(ending);
}

/** The run of a call that shared another call's question was stopped; the question stays open. */
export class RunStopped extends Error {
  readonly ending: "canceled" | "expired";

  constructor(ending: "canceled" | "expired") {
    super("the run was stopped");
    this.ending = ending;
  }
}

/** Ends a question without a person's decision; the writer whose save succeeded fires the call's one event. */
export async function end(
  house: House,
  key: SessionKey,
  confirmationId: string,
  ending: Ending,
  context: Context,
  owner?: string,
): Promise<Changed> {
  const before = await house.records.view(key, confirmationId);
  const result = before ? refusalFor(house, before, { kind: ending }) : "";
  const changed = await house.records.change(key, confirmationId, { type: "end", ending, owner, result });
  const { view } = changed;
  for (const command of changed.commands) {
    if (command.type === "terminal") house.terminal(callOf(view), false, command.basis, "", context);
  }
  return changed;
}

/** The instance that ran the tool is gone: what it did is not known, and it is not run again. */
export function lose(house: House, key: SessionKey, confirmationId: string, view: View): Promise<Changed> {
  const refusal: Refusal = {
    kind: "unavailable",
    toolName: view.payload.toolName,
    detail: "it was started, but whether it finished is not known",
  };
  return house.records.change(key, confirmationId, { type: "lose", result: refusalFor(house, view, refusal) });
}

/** Carries a no out: the person's, or the policy's after their yes. */
export function refuse(
  house: House,
  key: SessionKey,
  confirmationId: string,
  view: View,
  recovery: boolean,
): Promise<Changed> {
  const { toolName } = view.payload;
  const refusal: Refusal =
    view.decision === "denied"
      ? { kind: "humanDenied", toolName, note: view.note }
      : { kind: "tierDisabled", toolName };
  return house.records.change(key, confirmationId, {
    type: "refuse",
    owner: house.instance,
    recovery,
    result: refusalFor(house, view, refusal),
  });
}

/** After a person's yes the policy of this moment is asked once more; only its deny counts. */
export async function refusedAgain(house: House, view: View, scope: Scope): Promise<boolean> {
  const { user, ...rest } = scope.context;
  const owner = { user: view.payload.userId, named: true };
  const { outcome } = await house.judge.judge(
    { call: callOf(view), scope: { ...scope, signal: undefined, context: { user, ...rest } } },
    owner,
    "again",
  );
  return outcome.disposition === "deny";
}

/** Saves what the person wants remembered, before the run goes on. A failing source costs the memory, not the call. */
export async function remember(house: House, view: View, context: Context): Promise<void> {
  if (!view.grant || !house.settings.grants) return;
  try {
    await house.settings.grants.save(view.grant, context);
  } catch (error) {
    house.settings.logger.error("a grant could not be saved, the next call asks again", {
      tool: view.payload.toolName,
      error: messageOf(error),
    });
  }
}

/** The call a record is about, with the arguments that may run. */
export function callOf({ payload, arguments: text }: View): ToolCall {
  const { sessionId, toolCallId, toolName, server } = payload;
  return { sessionId, toolCallId, toolName, ...(server !== undefined && { server }), arguments: text };
}

export function refusalFor(house: House, view: View, refusal: Refusal): string {
  const call = (): Call => withInput(callOf(view));
  return JSON.stringify(house.texts.denial(refusal, call, view.payload.toolName));
}

/** Tells the run. A failure is logged: the pending query still shows the card. */
export async function emit(house: House, scope: Scope, payload: Payload): Promise<void> {
  try {
    await scope.emit?.(customEvent(payload, house.settings.eventName));
  } catch (error) {
    house.settings.logger.warn("an event could not be emitted into the run", {
      tool: payload.toolName,
      error: messageOf(error),
    });
  }
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

function keepAlive(house: House, { key, confirmationId }: Opened): () => void {
  const { records, instance, settings } = house;
  let stopped = false;
  let cancel = (): void => {};
  const renew = (): void => {
    cancel = settings.clock.setTimeout(async () => {
      await records.change(key, confirmationId, { type: "renew", owner: instance }).catch(() => undefined);
      if (!stopped) renew();
    }, settings.leaseMs / 3);
  };
  renew();
  return () => {
    stopped = true;
    cancel();
  };
}

function takenOver(confirmationId: string): AckError {
  return new AckError(
    "taken_over",
    `another instance carries on with the confirmation \`${confirmationId}\`; this run ends`,
  );
}
