import { type AutomaticEnd, auditUngated } from "./audit.js";
import { ownPlace, placeOf } from "./authority.js";
import { checkWord, MODES } from "./checks.js";
import { within } from "./clock.js";
import { decide } from "./decide.js";
import { checkDecision } from "./decision.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import { Guards } from "./guards.js";
import { Holds, isLive } from "./holds.js";
import type { House } from "./house.js";
import { createHandler } from "./http.js";
import { ownerOf } from "./identity.js";
import { type Heard, HOST, type HostSide } from "./internal.js";
import { Judge } from "./judge.js";
import { Ladder } from "./ladder.js";
import { unheard } from "./parking.js";
import {
  cancelSession,
  currentViews,
  inbox,
  listPending,
  openLists,
  payloadsOf,
  resultsOf,
  supersede,
} from "./pending.js";
import { Policies } from "./policies.js";
import { Records } from "./records.js";
import type { Bound } from "./resume.js";
import { runIn } from "./scope.js";
import { type Settings, settingsOf } from "./settings.js";
import { forMany } from "./signals.js";
import { sweep } from "./sweep.js";
import { Texts } from "./texts.js";
import { answerAll, carryOn, takeUp } from "./thread.js";
import { Tools } from "./tools.js";
import type { Context, Gate, GateOptions, ToolMap, VerdictLike } from "./types.js";

/** How many calls a gate remembers as having passed it. */
const REMEMBERED = 10_000;

/**
 * Makes a gate. An unknown option, an unknown word, a key of `tiers` that is not in `tools`, and a tool without a tier
 * and without a default throw here (`bad_options`, with the nearest name); a policy with errors throws PolicyError.
 */
export function createGate<const T extends ToolMap, const V extends Readonly<Record<string, VerdictLike>>>(
  options: GateOptions<T, V>,
): Gate<T> {
  return build(settingsOf(options as unknown as GateOptions)) as unknown as Gate<T>;
}

function build(settings: Settings): Gate {
  const closing = new AbortController();
  forMany(closing.signal);
  const running = new Set<Promise<unknown>>();
  const passed = new Set<string>();
  const listeners = new Set<Heard>();
  const tools = new Tools(settings);
  const policies = new Policies(settings);
  let bound: Bound | undefined;
  const house: House = {
    settings,
    records: new Records(settings),
    policies,
    judge: new Judge(settings, policies, tools, closing.signal),
    texts: new Texts(settings),
    holds: new Holds(),
    instance: engine.freshId(),
    closing: closing.signal,
    tool: (call, context) => tools.find(call, context),
    guards: (name, traits) => tools.guard(name, traits),
    running<R>(work: Promise<R>): Promise<R> {
      const done = work.catch(() => undefined).finally(() => running.delete(done));
      running.add(done);
      return work;
    },
    terminal: (end, context) => fire(settings, end, context),
    asked(request, context) {
      for (const heard of [...listeners]) heard(request, context);
    },
    ownerOf: (sessionId, context) => ownerOf(settings, sessionId, context),
    keyOf: (sessionId, owner) => ({ app: settings.app, user: owner.user, session: sessionId }),
    pass({ sessionId, toolCallId }) {
      passed.add(JSON.stringify([sessionId, toolCallId]));
      const oldest = passed.size > REMEMBERED ? passed.values().next().value : undefined;
      if (oldest !== undefined) passed.delete(oldest);
    },
  };
  const ladder = new Ladder(house);
  const guards = new Guards(house, ladder);
  const contextOf = (given: { context?: Context | undefined } | undefined): Context => given?.context ?? {};

  const gate: Gate & { [HOST]: HostSide } = {
    tools: guards.all(),
    evaluate: (call, options) => ladder.evaluate(call, options),
    request: (call, options) => ladder.request(call, options),
    authorize: (call, options) => unheard(ladder.authorize(call, options)),
    execute: (call, options) => unheard(ladder.execute(call, options)),
    guard: (name, run, options) => guards.one(name, run, options),
    run(scope, body) {
      checkWord("mode", scope?.mode, MODES);
      return runIn(scope, body);
    },
    setPolicy: (policy) => policies.set(policy),
    explain: (call, options) => ladder.explain(call, options),
    async decide(decision, given) {
      checkDecision(decision, settings.requireDigest === true);
      const context = contextOf(given);
      return decide(house, bound, decision, await placeOf(house, decision.sessionId, context), context);
    },
    async pending(sessionId, given) {
      const context = contextOf(given);
      return listPending(house, bound, await placeOf(house, sessionId, context), context);
    },
    async supersede(sessionId, given) {
      const context = contextOf(given);
      return supersede(house, (await ownPlace(house, sessionId, context)).key, context);
    },
    async cancelSession(sessionId, given) {
      const context = contextOf(given);
      return cancelSession(house, (await ownPlace(house, sessionId, context)).key, context);
    },
    inbox: (filter = {}, given) => inbox(house, filter, contextOf(given)),
    sweep: () => sweep(house, bound),
    resumeWith(runner) {
      bound = { runner };
    },
    handler: (options) => createHandler(gate, options),
    async close() {
      closing.abort(new AckError("closed", "the gate is closed; what was open stays open for another one"));
      await within(settings.clock, settings.closeTimeoutMs, Promise.all(running), () => []);
    },
    async [Symbol.asyncDispose]() {
      await gate.close();
    },
    [HOST]: {
      state: settings.state,
      logger: settings.logger,
      clock: settings.clock,
      eventName: settings.eventName,
      argumentsBytes: settings.limits.argumentsBytes,
      leaseMs: settings.leaseMs,
      newMessage: settings.newMessage ?? "keep",
      key: async (sessionId, context) => (await ownPlace(house, sessionId, context)).key,
      bind(runner, runActive) {
        bound = { runner, runActive };
      },
      openLists: async (sessionId, context, stop) =>
        openLists(house, () => bound, await placeOf(house, sessionId, context), context, stop),
      async views(sessionId, context) {
        const { key } = await ownPlace(house, sessionId, context);
        return (await currentViews(house, key, context)).map((view) => ({ ...view, live: isLive(house, key, view) }));
      },
      answerAll: (sessionId, answers, context) => answerAll(house, sessionId, answers, context),
      takeUp: (scope, ids) => takeUp(house, scope, ids),
      carryOn: (sessionId, context) => carryOn(house, () => bound, sessionId, context),
      asked(heard) {
        listeners.add(heard);
        return () => void listeners.delete(heard);
      },
      toolNames: () => tools.names(),
      changes: (session, stop) => house.records.changes(session, "", AbortSignal.any([stop, closing.signal])),
      closing: closing.signal,
      payloads: (session, ids) => payloadsOf(house, session, ids),
      ungated: (call) => auditUngated(house, call),
      passed: (sessionId, toolCallId) => passed.has(JSON.stringify([sessionId, toolCallId])),
      results: async (sessionId, ids, context) =>
        resultsOf(house, (await ownPlace(house, sessionId, context)).key, ids),
    },
  };
  return gate;
}

/** Once for every automatic end; what the observer does wrong changes nothing. */
function fire(settings: Settings, { call, allowed, basis, source }: AutomaticEnd, context: Context): void {
  const failed = (error: unknown): void =>
    settings.logger.error("`onPermission` failed", { tool: call.toolName, error: messageOf(error) });
  try {
    const result: unknown = settings.onPermission?.({ call, allowed, basis, source }, context);
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
