import { within } from "./clock.js";
import { end } from "./confirmations.js";
import { decide } from "./decide.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import { Guards } from "./guards.js";
import type { House } from "./house.js";
import { createHandler } from "./http.js";
import { actorOf, ownerOf } from "./identity.js";
import { HOST, type HostSide } from "./internal.js";
import { Judge, type Owner } from "./judge.js";
import { Ladder } from "./ladder.js";
import { Records } from "./records.js";
import { type Bound, carryOnOrphans } from "./recovery.js";
import { runIn } from "./scope.js";
import { type Settings, settingsOf } from "./settings.js";
import { Texts } from "./texts.js";
import { Tools } from "./tools.js";
import type {
  Basis,
  Context,
  Gate,
  GateOptions,
  PendingItem,
  SessionKey,
  ToolCall,
  ToolMap,
  VerdictLike,
} from "./types.js";

/** How many calls a gate remembers as having passed it. */
const REMEMBERED = 10_000;

/**
 * Makes a gate. An unknown option, an unknown word, a key of `tiers` that is not in `tools`, and a tool without a tier
 * and without a default throw here (`bad_options`, with the nearest name).
 */
export function createGate<const T extends ToolMap, const V extends Readonly<Record<string, VerdictLike>>>(
  options: GateOptions<T, V>,
): Gate<T> {
  return build(settingsOf(options as unknown as GateOptions)) as unknown as Gate<T>;
}

function build(settings: Settings): Gate {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const passed = new Set<string>();
  const tools = new Tools(settings);
  let bound: Bound | undefined;
  const house: House = {
    settings,
    records: new Records(settings),
    judge: new Judge(settings),
    texts: new Texts(settings),
    instance: engine.freshId(),
    closing: closing.signal,
    tool: (call, context) => tools.find(call, context),
    running<R>(work: Promise<R>): Promise<R> {
      const done = work.catch(() => undefined).finally(() => running.delete(done));
      running.add(done);
      return work;
    },
    terminal: (call, allowed, basis, source, context) => fire(settings, call, allowed, basis, source, context),
    ownerOf: (sessionId, context) => ownerOf(settings, sessionId, context),
    keyOf: (sessionId, owner) => ({ app: settings.app, user: owner.user, session: sessionId }),
    pass({ sessionId, toolCallId }) {
      if (closing.signal.aborted) throw new AckError("closed", "the gate is closed");
      passed.add(JSON.stringify([sessionId, toolCallId]));
      const oldest = passed.size > REMEMBERED ? passed.values().next().value : undefined;
      if (oldest !== undefined) passed.delete(oldest);
    },
  };
  const ladder = new Ladder(house);
  const guards = new Guards(house, ladder);
  /** INVARIANT: whoever acts on a session from outside a call is its owner; nobody else learns that it exists. */
  const keyFor = async (sessionId: string, context: Context): Promise<{ key: SessionKey; owner: Owner }> => {
    const owner = await house.ownerOf(sessionId, context);
    if (actorOf(settings, context) !== owner.user) {
      throw new AckError("not_found", `there is no session \`${sessionId}\` of yours`);
    }
    return { key: house.keyOf(sessionId, owner), owner };
  };
  const contextOf = (given: { context?: Context | undefined } | undefined): Context => given?.context ?? {};

  const gate: Gate & { [HOST]: HostSide } = {
    tools: guards.all(),
    evaluate: (call, options) => ladder.evaluate(call, options),
    request: (call, options) => ladder.request(call, options),
    authorize: (call, options) => ladder.authorize(call, options),
    execute: (call, options) => ladder.execute(call, options),
    guard: (name, run, options) => guards.one(name, run, options),
    run: runIn,
    async decide(decision, given) {
      const context = contextOf(given);
      const { key, owner } = await keyFor(decision.sessionId, context);
      return decide(house, bound, decision, key, owner, context);
    },
    async pending(sessionId, given) {
      const context = contextOf(given);
      // Another person's session is as empty as an unknown one.
      const owner = await house.ownerOf(sessionId, context);
      if (actorOf(settings, context) !== owner.user) return [];
      return listPending(house, bound, house.keyOf(sessionId, owner), context);
    },
    async supersede(sessionId, given) {
      const context = contextOf(given);
      const { key } = await keyFor(sessionId, context);
      const open = (await house.records.views(key)).filter((view) => view.stage === "pending");
      const ended = await Promise.all(
        open.map((view) => end(house, key, view.payload.confirmationId, "superseded", context)),
      );
      return ended.filter(({ view }) => view.payload.status === "superseded").length;
    },
    resumeWith(runner) {
      bound = { runner };
    },
    handler: (options) => createHandler(gate, options),
    async close() {
      closing.abort();
      await within(settings.clock, settings.closeTimeoutMs, Promise.all(running), () => []);
    },
    async [Symbol.asyncDispose]() {
      await gate.close();
    },
    [HOST]: {
      state: settings.state,
      logger: settings.logger,
      clock: settings.clock,
      newMessage: settings.newMessage ?? "keep",
      key: async (sessionId, context) => (await keyFor(sessionId, context)).key,
      bind(runner, runActive) {
        bound = { runner, runActive };
      },
      passed: (sessionId, toolCallId) => passed.has(JSON.stringify([sessionId, toolCallId])),
      results: async (sessionId, ids, context) => resultsOf(house, (await keyFor(sessionId, context)).key, ids),
    },
  };
  return gate;
}

/** Open confirmations, oldest first, and those carried out whose thread has not got the result. */
async function listPending(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  context: Context,
): Promise<PendingItem[]> {
  const views = await house.records.views(key);
  const current = await Promise.all(
    views.map(async (view) =>
      view.overdue ? (await end(house, key, view.payload.confirmationId, view.overdue, context)).view : view,
    ),
  );
  if (bound) carryOnOrphans(house, bound, key, current, context);
  return current
    .filter((view) => view.stage !== "settled" || (view.recovered && !view.delivered))
    .map((view) => ({ ...view.payload, live: view.live }))
    .sort((a, b) => a.createdAt - b.createdAt || (a.confirmationId < b.confirmationId ? -1 : 1));
}

/** The stored tool messages of these calls, which now count as delivered. */
async function resultsOf(house: House, key: SessionKey, ids: readonly string[]): Promise<Map<string, string>> {
  const results = new Map<string, string>();
  for (const view of await house.records.views(key)) {
    const { toolCallId, confirmationId } = view.payload;
    if (!ids.includes(toolCallId) || view.stage !== "settled" || view.result === undefined) continue;
    results.set(toolCallId, view.result);
    if (!view.delivered) await house.records.change(key, confirmationId, { type: "deliver" });
  }
  return results;
}

/** Once for every automatic end; what the observer does wrong changes nothing. */
function fire(
  settings: Settings,
  call: ToolCall,
  allowed: boolean,
  basis: Basis,
  source: string,
  context: Context,
): void {
  try {
    settings.onPermission?.({ call, allowed, basis, source }, context);
  } catch (error) {
    settings.logger.error("`onPermission` failed", { tool: call.toolName, error: messageOf(error) });
  }
}
