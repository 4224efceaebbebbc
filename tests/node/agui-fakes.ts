// Hand-made doubles for the units of ackgate/agui: a gate that only records, and agents that are a function.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import type { Context, CustomEvent, Gate, Handler, ResumeRunner, RunScope, SessionKey, SessionState } from "ackgate";
import { fakeClock } from "ackgate/testing";
import { Observable } from "rxjs";

export { gateway, until } from "../shared/waiting.ts";

export type Event = { type: string; [field: string]: unknown };

/** The storage key of a thread of the tests' usual person. */
export function annsThread(session: string): SessionKey {
  return { app: "ack", user: "ann", session };
}

/** A SessionState over a map, with a hook before each write. */
export function fakeState() {
  const rows = new Map<string, { record: string; version: string }>();
  let version = 0;
  const at = (session: object, id: string) => JSON.stringify([session, id]);
  const state = {
    rows,
    beforeWrite: undefined as ((record: string) => Promise<void> | undefined) | undefined,
    put(session: object, id: string, record: string) {
      rows.set(at(session, id), { record, version: String(++version) });
    },
    get(session: object, id = "h:messages") {
      return rows.get(at(session, id))?.record;
    },
    async read(session, id) {
      const row = rows.get(at(session, id));
      return row && { id, ageMs: 0, ...row };
    },
    async list(session, _, after = "") {
      const found = [...rows].map(([name, row]) => [JSON.parse(name), row] as const);
      const own = found.filter(([[key, id]]) => at(key, "") === at(session, "") && id > after);
      return own.map(([[, id], row]) => ({ id, ageMs: 0, ...row })).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async write(session, id, record, ifVersion) {
      await state.beforeWrite?.(record ?? "");
      if (rows.get(at(session, id))?.version !== ifVersion) return { conflict: true } as const;
      if (record === null) rows.delete(at(session, id));
      else state.put(session, id, record);
      return { version: String(version) };
    },
  } satisfies SessionState & Record<string, unknown>;
  return state;
}

export interface FakeOptions {
  newMessage?: "keep" | "supersede";
  results?: Record<string, string>;
  passed?: readonly string[];
}

/** A Gate whose judgement is the test's: it keeps the scope of each run and what it was asked. */
export function fakeGate(options: FakeOptions = {}) {
  const storage = new AsyncLocalStorage<RunScope>();
  const logs: { level: string; message: string; fields?: unknown }[] = [];
  const log = (level: string) => (message: string, fields?: unknown) => void logs.push({ level, message, fields });
  const clock = fakeClock();
  const state = fakeState();
  const calls: { name: string; args: unknown[] }[] = [];
  const spy =
    (name: string, answer: (...args: never[]) => unknown) =>
    async (...args: unknown[]) => {
      calls.push({ name, args });
      return answer(...(args as never[]));
    };
  const bound: { runner?: ResumeRunner; active?: (session: SessionKey) => boolean } = {};
  const answers = {
    pending: [] as { confirmationId: string; status?: string; expiresAt?: number }[],
    payloads: [] as { confirmationId: string }[],
  };
  const scopes: RunScope[] = [];
  const host = {
    state,
    clock,
    logger: { warn: log("warn"), error: log("error"), debug: log("debug") },
    newMessage: options.newMessage ?? "keep",
    eventName: "tool_confirmation",
    leaseMs: 15_000,
    closing: new AbortController().signal,
    async *changes(_: SessionKey, stop: AbortSignal) {
      while (!stop.aborted) {
        yield undefined;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    },
    payloads: async (_: SessionKey, ids: readonly string[]) =>
      new Map(
        answers.payloads.flatMap((each) => (ids.includes(each.confirmationId) ? [[each.confirmationId, each]] : [])),
      ),
    key: async (session: string, context: Context) => ({ app: "ack", user: context.user ?? "user", session }),
    bind(runner: ResumeRunner, active?: (session: SessionKey) => boolean) {
      bound.runner = runner;
      if (active) bound.active = active;
    },
    ungated() {},
    views: async () => [],
    answerAll: async () => [],
    takeUp: async () => ({ settled: [], elsewhere: false }),
    carryOn() {},
    toolNames: () => undefined,
    passed: (_: string, id: string) => (options.passed ?? []).includes(id),
    results: spy("results", (_: string, ids: readonly string[]) => {
      const known = options.results ?? {};
      return new Map(ids.flatMap((id) => (known[id] === undefined ? [] : [[id, known[id]] as const])));
    }),
  };
  const gate = {
    [Symbol.for("ackgate.host")]: host,
    run<R>(scope: RunScope, body: () => R): R {
      scopes.push(scope);
      return storage.run(scope, body);
    },
    supersede: spy("supersede", () => 0),
    decide: spy("decide", () => ({ path: "live", status: "approved" })),
    pending: spy("pending", () => answers.pending),
    handler(): Handler {
      const matches = (target: Request | string) =>
        (typeof target === "string" ? target : new URL(target.url).pathname) === "/ack/confirmations";
      return Object.assign(async () => Response.json(["from the gate"]), { matches });
    },
  };
  return {
    gate: gate as unknown as Gate,
    calls,
    logs,
    clock,
    state,
    scopes,
    bound: bound as Required<typeof bound>,
    answers,
    /** The scope of the code that asks, as a guarded tool would see it. */
    scope: () => storage.getStore(),
    named: (name: string) => calls.filter((call) => call.name === name).map(({ args }) => args),
  };
}

export type Script = (input: RunAgentInput, emit: (event: Event) => void, agent: ScriptedAgent) => Promise<void> | void;

/** An agent that is a function; its stream completes when the function returns. */
export class ScriptedAgent extends AbstractAgent {
  script: Script;
  aborted = 0;

  constructor(script: Script, config: ConstructorParameters<typeof AbstractAgent>[0] = {}) {
    super(config);
    this.script = script;
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const emit = (event: Event) => subscriber.next(event as unknown as BaseEvent);
      (async () => this.script(input, emit, this))().then(
        () => subscriber.complete(),
        (error) => subscriber.error(error),
      );
    });
  }

  override abortRun(): void {
    this.aborted++;
  }
}

export const input = (over: Partial<RunAgentInput> = {}): RunAgentInput => ({
  threadId: "t",
  runId: "r",
  messages: [],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
  ...over,
});
export const runStarted = ({ threadId, runId }: RunAgentInput): Event => ({ type: "RUN_STARTED", threadId, runId });
export const runFinished = ({ threadId, runId }: RunAgentInput): Event => ({ type: "RUN_FINISHED", threadId, runId });
export const toolCall = (toolCallId: string, toolCallName: string, delta = "{}", parentMessageId?: string): Event[] => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName, ...(parentMessageId && { parentMessageId }) },
  { type: "TOOL_CALL_ARGS", toolCallId, delta },
  { type: "TOOL_CALL_END", toolCallId },
];
export const toolResult = (toolCallId: string, content = '"done"'): Event => ({
  type: "TOOL_CALL_RESULT",
  messageId: `m-${toolCallId}`,
  toolCallId,
  content,
});
export const say = (messageId: string, delta: string): Event[] => [
  { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
  { type: "TEXT_MESSAGE_END", messageId },
];
export const card = (confirmationId: string, status: string): CustomEvent => ({
  type: "CUSTOM",
  name: "tool_confirmation",
  value: { confirmationId, toolCallId: confirmationId, status } as CustomEvent["value"],
});

/** All events of a run. */
export function collect(events: Observable<BaseEvent>): Promise<Event[]> {
  const seen: Event[] = [];
  return new Promise((resolve, reject) => {
    events.subscribe({
      next: (event) => void seen.push(event as unknown as Event),
      error: reject,
      complete: () => resolve(seen),
    });
  });
}

/** A server-sent event stream, read as it comes. */
export function follow(response: Response) {
  const events: Event[] = [];
  let heartbeats = 0;
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const done = (async () => {
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (text + value).split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        if (frame.startsWith("data: ")) events.push(JSON.parse(frame.slice(6)));
        else if (frame === ":") heartbeats++;
        else assert.fail(`a frame that is no event: ${frame}`);
      }
    }
  })();
  return {
    events,
    done,
    get heartbeats() {
      return heartbeats;
    },
    types: () => events.map(({ type }) => type),
    leave: () => reader.cancel(),
  };
}

export const post = (path: string, body: unknown, headers: Record<string, string> = {}): Request =>
  new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
