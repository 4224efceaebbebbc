import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractAgent, type BaseEvent, HttpAgent, type Message, type RunAgentInput } from "@ag-ui/client";
import { AckError } from "ackgate";
import { type AgentHandlerOptions, agentHandler, wrapAgent } from "ackgate/agui";
import { Observable } from "rxjs";
import {
  annsThread,
  fakeGate,
  follow,
  gateway,
  input,
  post,
  runFinished,
  runStarted,
  ScriptedAgent,
  say,
  toolCall,
  until,
} from "./agui-fakes.ts";
import { BLOCK, called, mount, OWNER, quick, refused, user, waiting } from "./agui-mount.ts";

test("agentHandler: options are read strictly", () => {
  const { gate } = fakeGate();
  const bad = (options: unknown, message: RegExp) =>
    assert.throws(
      () => agentHandler(new ScriptedAgent(quick), gate, options as AgentHandlerOptions),
      (error) => AckError.is(error) && error.code === "bad_options" && message.test(error.message),
    );
  const identify = () => ({});
  bad({}, /`identify`/);
  bad({ mode: "live", identify }, /`mode` is `live`/);
  bad({ mode: "block" }, /`identify`/);
  bad({ mode: "block", identify, heartbeatms: 1 }, /`heartbeatms`; did you mean `heartbeatMs`/);
  bad({ mode: "block", identify, heartbeatMs: -1 }, /`heartbeatMs`/);
  bad({ mode: "block", identify, agui: 1 }, /`agui`/);
});

test("agentHandler: a run is a stream of events, and the gate's routes are there too", async () => {
  const { handler, scopes } = mount(quick);
  const response = await handler(post("/agui", { threadId: "t", runId: "r", messages: [user("u1")] }));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.match(response.headers.get("cache-control") ?? "", /\bno-cache\b/);
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  const stream = follow(response);
  await stream.done;
  assert.deepEqual(stream.types(), [
    "RUN_STARTED",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "RUN_FINISHED",
  ]);
  assert.deepEqual(scopes[0]?.context, { user: "ann" });
  assert.deepEqual(await (await handler(new Request("http://h/ack/confirmations"))).json(), ["from the gate"]);
  assert.ok(handler.matches("/agui/history") && handler.matches("/ack/confirmations"));
  assert.equal(handler.matches("/other"), false);
});

test("agentHandler: what the client left out is filled in for the agent, the rest is passed on", async () => {
  const got: RunAgentInput[] = [];
  const { handler } = mount((each, emit) => {
    got.push(each);
    return quick(each, emit, new ScriptedAgent(quick));
  });
  const extra = { parentRunId: "p", resume: [], "x-own": 1, state: { n: 1 } };
  for (const body of [{}, extra]) {
    await follow(await handler(post("/agui", { threadId: "t", runId: "r", messages: [], ...body }))).done;
  }
  const base = { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} };
  assert.deepEqual(got, [base, { ...base, ...extra }]);
});

test("agentHandler: 400, 401, 404, 405, 415", async () => {
  const { handler } = mount(() => assert.fail("it ran"), {
    identify: () => {
      throw new Error("no");
    },
  });
  await refused(await handler(post("/agui", input())), 401, "forbidden");
  await refused(await handler(post("/agui", input(), { "content-type": "text/plain" })), 415, "bad_request");
  const get = await handler(new Request("http://h/agui/cancel"));
  assert.equal(get.headers.get("allow"), "POST");
  await refused(get, 405, "bad_request");

  const open = mount(() => assert.fail("it ran")).handler;
  const bad = ["{", "[]", { threadId: "t", runId: "r" }, { threadId: "t", messages: [] }, { runId: "r", messages: [] }];
  for (const messages of [
    {},
    "x",
    [null],
    [{ id: "m" }],
    [{ role: "user" }],
    [{ ...called("c", "n"), toolCalls: [{}] }],
  ]) {
    bad.push(input({ messages: messages as unknown as Message[] }) as never);
  }
  bad.push(input({ tools: [{}] as never }) as never, input({ tools: {} as never }) as never);
  for (const body of bad) await refused(await open(post("/agui", body)), 400, "bad_request");
  for (const body of ["{", {}, { threadId: 1 }])
    await refused(await open(post("/agui/cancel", body)), 400, "bad_request");
  for (const body of ["{", {}, { threadId: "t" }]) {
    await refused(await open(post("/agui/history", body)), 400, "bad_request");
  }
  await refused(await open(post("/agui/cancel", { threadId: "t" })), 404, "not_found");
  const long = post("/agui", "", { "content-length": String(8 * 1024 * 1024 + 1) });
  await refused(await open(long), 400, "bad_request");
});

test("agentHandler: a Response thrown by `identify` is the answer on every route", async () => {
  const identify = () => Promise.reject(new Response("log in", { status: 401 }));
  const { handler } = mount(quick, { identify });
  for (const path of ["/agui", "/agui/history", "/agui/cancel"]) {
    const response = await handler(post(path, input()));
    assert.deepEqual([response.status, await response.text()], [401, "log in"]);
  }
});

test("agentHandler: paths are options", async () => {
  const { handler } = mount(quick, { agui: "api/agent/" });
  assert.ok(handler.matches("/api/agent") && handler.matches("/api/agent/cancel"));
  assert.equal(handler.matches("/agui"), false);
  assert.ok(mount(quick, { agui: "" }).handler.matches("/"));
});

test("agentHandler: `context` of an AG-UI host is not who asks here", async () => {
  const context = () => ({ user: "root" });
  const { start, scopes, logs } = mount(quick, { context });
  await (await start()).done;
  assert.deepEqual(scopes[0]?.context, { user: "ann" });
  assert.match(logs[0]?.message ?? "", /`identify`/);
});

test("agentHandler: an agent that is wrapped already keeps the request's context", async () => {
  const fake = fakeGate();
  const wrapped = wrapAgent(new ScriptedAgent(quick), fake.gate, { ...BLOCK, context: () => ({ user: "nobody" }) });
  const { start, scopes } = mount(quick, {}, fake, wrapped);
  await (await start()).done;
  assert.deepEqual(
    scopes.map(({ context }) => context),
    [{ user: "ann" }],
  );
});

test("agentHandler: one run per thread and owner; the thread is free when the end is seen", async () => {
  const go = gateway();
  const { handler, start, bound } = mount(async (each, emit) => {
    emit(runStarted(each));
    if (each.runId === "r1") await go.passed;
    emit(runFinished(each));
  });
  const first = await start({ runId: "r1" });
  await refused(await handler(post("/agui", input({ runId: "r2" }))), 409, "run_active");
  assert.equal(bound.active(annsThread("t")), true);
  assert.equal(bound.active(annsThread("t2")), false);
  await (await start({ runId: "r3" }, { "x-user": "bob" })).done;
  await (await start({ runId: "r4", threadId: "t2" })).done;
  assert.equal(bound.active(annsThread("t")), true, "bob's end is not ann's");
  go.open();
  await until(() => first.types().includes("RUN_FINISHED"));
  await (await start({ runId: "r5" })).done;
  assert.equal(bound.active(annsThread("t")), false);
});

test("agentHandler: an error is one RUN_ERROR; a stream never just ends", async () => {
  const throws = mount((each, emit) => {
    emit(runStarted(each));
    throw new AckError("taken_over", "another instance took it");
  });
  const failed = await throws.start();
  await failed.done;
  assert.deepEqual(failed.events.at(-1), {
    type: "RUN_ERROR",
    message: "another instance took it",
    code: "taken_over",
  });
  assert.equal(failed.events.length, 2);

  const early = await mount(() => Promise.reject("text")).start();
  await early.done;
  assert.deepEqual(early.events, [{ type: "RUN_ERROR", message: "the run failed" }]);

  const ends = await mount((each, emit) => emit(runStarted(each))).start();
  await ends.done;
  assert.deepEqual(ends.types(), ["RUN_STARTED", "RUN_ERROR"]);

  const twice = await mount((each, emit) => {
    emit(runStarted(each));
    emit(runFinished(each));
    emit({ type: "CUSTOM", name: "late", value: 1 });
    throw new Error("after the end");
  }).start();
  await twice.done;
  assert.deepEqual(twice.types(), ["RUN_STARTED", "RUN_FINISHED"]);

  const circular: { self?: unknown } = {};
  circular.self = circular;
  const unwritable = await mount((each, emit) => {
    emit(runStarted(each));
    emit({ type: "RAW", event: circular });
    emit(runFinished(each));
  }).start();
  await unwritable.done;
  assert.deepEqual(unwritable.types(), ["RUN_STARTED", "RUN_ERROR"]);
});

test("agentHandler: heartbeats keep a waiting stream awake and stop with it", async () => {
  const go = gateway();
  const { start, clock } = mount(async (each, emit) => {
    emit(runStarted(each));
    await go.passed;
    emit(runFinished(each));
  });
  const stream = await start();
  await until(() => stream.events.length === 1);
  for (let beats = 1; beats <= 3; beats++) {
    await clock.advance(14_999);
    await clock.advance(1);
    await until(() => stream.heartbeats === beats);
  }
  go.open();
  await stream.done;
  assert.equal(clock.waiting, 0);
  assert.equal(stream.heartbeats, 3);

  const none = mount(quick, { heartbeatMs: 0 });
  const silent = await none.start();
  await clock.advance(60_000);
  await silent.done;
  assert.equal(silent.heartbeats, 0);
});

test("agentHandler: a client that leaves only detaches; the run goes on and its history is there", async () => {
  const go = gateway();
  const { start, handler, clock, history, scopes, state } = mount(async (each, emit) => {
    emit(runStarted(each));
    await go.passed;
    for (const event of say("m1", "done")) emit(event);
    emit(runFinished(each));
  });
  const stream = await start({ messages: [user("u1")] });
  await until(() => stream.events.length === 1 && state.get(OWNER, "h:run"));
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = clock.waiting;
  await stream.leave();
  assert.equal(scopes[0]?.signal?.aborted, false);
  assert.equal(clock.waiting, waiting - 1, "no heartbeat for nobody");
  await refused(await handler(post("/agui", input())), 409, "run_active");
  go.open();
  await until(() => history().length === 2);
  assert.deepEqual(history(), [user("u1"), { id: "m1", role: "assistant", content: "done" }]);
});

for (const [line, protocolVersion, end] of [
  ["a client that declared a protocol version", "1.0", { outcome: { type: "cancelled" } }],
  ["an older client", undefined, {}],
] as const) {
  test(`agentHandler: cancel settles what waits and ends the run, for ${line}`, async () => {
    const fake = fakeGate();
    const agent = new ScriptedAgent(waiting(fake));
    const { start, handler, clock, history } = mount(quick, {}, fake, agent);
    const stream = await start(protocolVersion === undefined ? {} : { protocolVersion });
    await until(() => stream.types().includes("CUSTOM"));
    await refused(await handler(post("/agui/cancel", { threadId: "t" }, { "x-user": "bob" })), 404, "not_found");
    const response = await handler(post("/agui/cancel", { threadId: "t" }));
    assert.deepEqual([response.status, await response.json()], [200, { canceled: true }]);
    await stream.done;
    assert.deepEqual(stream.types().slice(4), ["CUSTOM", "CUSTOM", "TOOL_CALL_RESULT", "RUN_FINISHED"]);
    assert.deepEqual(stream.events.at(-1), { type: "RUN_FINISHED", threadId: "t", runId: "r", ...end });
    assert.equal(agent.aborted, 1);
    assert.equal(clock.waiting, 0);
    assert.deepEqual(
      history().map(({ role }) => role),
      ["assistant", "tool", "activity"],
    );
    await refused(await handler(post("/agui/cancel", { threadId: "t" })), 404, "not_found");
  });
}

test("agentHandler: cancel does not wait for ever for a tool that does not stop", async () => {
  const fake = fakeGate();
  const { start, handler, clock } = mount(waiting(fake, false), {}, fake);
  const stream = await start();
  await until(() => stream.types().includes("CUSTOM"));
  const canceled = handler(post("/agui/cancel", { threadId: "t" }));
  await until(() => fake.scopes[0]?.signal?.aborted);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!stream.types().includes("RUN_FINISHED"));
  await clock.advance(1000);
  assert.equal((await canceled).status, 200);
  await stream.done;
  assert.equal(stream.types().at(-1), "RUN_FINISHED");
});

test("agentHandler: cancel ends what is open, so that the client accepts the end", async () => {
  const { handler } = mount((each, emit) => {
    emit(runStarted(each));
    emit({ type: "STEP_STARTED", stepName: "think" });
    emit({ type: "REASONING_START", messageId: "p1" });
    emit({ type: "REASONING_MESSAGE_START", messageId: "p1", role: "reasoning" });
    emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
    emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "half" });
    emit({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "n" });
    emit({ type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"a' });
    return new Promise(() => {});
  });
  const response = await handler(post("/agui", input({ protocolVersion: "1.0" } as object)));
  const bytes = response.clone();
  const stream = follow(response);
  await until(() => stream.types().includes("TOOL_CALL_ARGS"));
  assert.equal((await handler(post("/agui/cancel", { threadId: "t" }))).status, 200);
  await stream.done;
  assert.deepEqual(stream.events.slice(8), [
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
    { type: "REASONING_MESSAGE_END", messageId: "p1" },
    { type: "REASONING_END", messageId: "p1" },
    { type: "STEP_FINISHED", stepName: "think" },
    { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled" } },
  ]);
  const outcomes: unknown[] = [];
  const client = new HttpAgent({ url: "http://h/agui", threadId: "t", fetch: async () => bytes });
  await client.runAgent({ runId: "r" }, { onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome) });
  assert.deepEqual(outcomes, ["cancelled"]);
});

test("agentHandler: cancel while the run has not begun", async () => {
  const fake = fakeGate();
  const reading = gateway();
  const read = fake.state.read.bind(fake.state);
  fake.state.read = async (...args) => {
    await reading.passed;
    return read(...args);
  };
  const { start, handler } = mount(() => assert.fail("it ran"), {}, fake);
  const stream = await start();
  const canceled = handler(post("/agui/cancel", { threadId: "t" }));
  await new Promise((resolve) => setImmediate(resolve));
  reading.open();
  assert.equal((await canceled).status, 200);
  await stream.done;
  assert.deepEqual(stream.types(), ["RUN_STARTED", "RUN_FINISHED"]);
});

test("agentHandler: an agent that ends by itself after a cancel was still canceled", async () => {
  for (const end of ["finish", "throw", "return"]) {
    const fake = fakeGate();
    const { start, handler } = mount(
      async (each, emit) => {
        emit(runStarted(each));
        for (const event of toolCall("c1", "n")) emit(event);
        await new Promise<void>((resolve) => fake.scope()?.signal?.addEventListener("abort", () => resolve()));
        if (end === "finish") emit(runFinished(each));
        if (end === "throw") throw new Error("aborted");
      },
      {},
      fake,
    );
    const stream = await start({ protocolVersion: "1.0" });
    await until(() => stream.types().includes("TOOL_CALL_END"));
    await handler(post("/agui/cancel", { threadId: "t" }));
    await stream.done;
    assert.deepEqual(stream.types().slice(4), ["RUN_FINISHED"], end);
    assert.deepEqual(stream.events.at(-1)?.outcome, { type: "cancelled" });
  }
});

test("an agent that says how it is cloned runs as a clone of its own; another is shared", async () => {
  class Cloneable extends ScriptedAgent {
    override clone() {
      const copy = super.clone() as Cloneable;
      copy.script = this.script;
      return copy;
    }
  }
  class Private extends AbstractAgent {
    #secret = "kept";
    aborted = 0;
    run(each: RunAgentInput): Observable<BaseEvent> {
      return new Observable((subscriber) => {
        for (const event of [runStarted(each), ...say("m", this.#secret)])
          subscriber.next(event as unknown as BaseEvent);
      });
    }
    override abortRun() {
      this.aborted++;
    }
  }
  const selves = new Set<unknown>();
  const cloneable = new Cloneable((each, emit, self) => {
    selves.add(self);
    return quick(each, emit, self);
  });
  const one = mount(quick, {}, fakeGate(), cloneable);
  for (const runId of ["r1", "r2"]) await (await one.start({ runId })).done;
  assert.equal(selves.size, 2);
  assert.ok(!selves.has(cloneable));

  const shared = new Private();
  const two = mount(quick, {}, fakeGate(), shared);
  const first = await two.start({ threadId: "t1" });
  const second = await two.start({ threadId: "t2" });
  await until(() => first.types().length + second.types().length === 8);
  await two.handler(post("/agui/cancel", { threadId: "t1" }));
  await first.done;
  assert.equal(shared.aborted, 0, "its `abortRun` would stop the other thread as well");
  await two.handler(post("/agui/cancel", { threadId: "t2" }));
  await second.done;
  assert.equal(shared.aborted, 1);
});
