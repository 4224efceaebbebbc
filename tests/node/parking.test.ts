// Runs that end with open questions, stopped and let go of at awkward moments.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryState, type SessionState } from "ackgate";
import { agentHandler } from "ackgate/agui";
import { testGate } from "ackgate/testing";
import {
  follow,
  gateway,
  input,
  post,
  runFinished,
  runStarted,
  type Script,
  ScriptedAgent,
  toolCall,
  toolResult,
  until,
} from "./agui-fakes.ts";
import { ANN, bench, cards, end, heldTools, SESSION, slowLists, YES } from "./parking-bench.ts";

test("a run's window ends after another instance has taken its question: the run says so, and does not ask the store for ever", async () => {
  const memory = memoryState();
  let deaf = false;
  let old = 0;
  let reads = 0;
  const aged = <T extends { ageMs: number }>(found: T) => ({ ...found, ageMs: found.ageMs + old });
  const { subscribe: _, ...silent } = memory;
  const shared: SessionState = {
    ...silent,
    exclusive: false,
    async read(...args) {
      const found = await memory.read(...args);
      return found && aged(found);
    },
    list: async (...args) => (await memory.list(...args)).map(aged),
  };
  const own: SessionState = {
    ...shared,
    async read(...args) {
      if (deaf && ++reads > 100) return new Promise(() => {});
      return shared.read(...args);
    },
  };
  const pollMs = 1e9;
  const first = bench({ gate: { state: own, pollMs, leaseMs: 1e6 }, wrap: { mode: "auto" } });
  const run = first.run().then(
    (events) => events,
    (error: Error & { code?: string }) => error.code,
  );
  await until(async () => (await first.gate.pending("t", ANN)).length === 1);
  old = 2e6;
  const other = bench({ gate: { state: shared, pollMs, leaseMs: 1e6 } });
  const adopted = other.gate.execute({
    sessionId: "t",
    toolCallId: "c1",
    toolName: "delete_note",
    arguments: '{"id":"c1"}',
  });
  adopted.catch(() => undefined);
  const owner = async () => JSON.parse((await memory.read(SESSION, "c:c1"))?.record ?? "{}").owner;
  const before = await owner();
  await until(async () => (await owner()) !== before);
  old = 0;
  deaf = true;
  let code: unknown;
  void run.then((ended) => {
    code = ended;
  });
  await first.gate.clock.advance(30_000);
  await until(() => code !== undefined || reads > 100);
  assert.equal(code, "taken_over");
  await other.gate.close();
});

test("a run that cannot be resumed is not tried again by its own end", async () => {
  const { state, slow } = slowLists();
  let started = 0;
  const script =
    (call: (id: string) => Promise<unknown>): Script =>
    async (each, emit) => {
      if (each.messages.some(({ role }) => role === "tool")) {
        started++;
        throw new Error("the model cannot be reached");
      }
      emit(runStarted(each));
      for (const event of toolCall("c1", "delete_note")) emit(event);
      await call("c1");
    };
  const { gate, run, ran } = bench({ gate: { state }, script });
  assert.equal(end(await run()), "interrupt");
  for (let turn = 0; turn < 5; turn++) await slow();
  await assert.rejects(gate.decide(YES("c1"), ANN), { code: "run_active" });
  for (let turn = 0; turn < 10; turn++) await slow();
  assert.deepEqual([started, ran], [1, ["c1"]]);
});

test("a stop while another call of the run goes on ends its parked question too", async () => {
  const { tools, running, going } = heldTools();
  const script =
    (call: (id: string) => Promise<{ content: string }>): Script =>
    async (each, emit) => {
      emit(runStarted(each));
      for (const id of ["c1", "c2"]) for (const event of toolCall(id, "delete_note")) emit(event);
      await Promise.all(["c1", "c2"].map(async (id) => emit(toolResult(id, (await call(id)).content))));
      emit(runFinished(each));
    };
  const { gate, run, wrapped } = bench({ gate: { tools }, wrap: { mode: "auto" }, script });
  const over = run();
  await until(async () => (await gate.pending("t", ANN)).length === 2);
  void gate.decide(YES("c2"), ANN);
  await running.passed;
  await gate.clock.advance(30_000);
  await until(async () => (await gate.pending("t", ANN)).some(({ toolCallId, live }) => toolCallId === "c1" && !live));
  wrapped.abortRun();
  await until(async () => !(await gate.pending("t", ANN)).some(({ toolCallId }) => toolCallId === "c1"));
  going.open();
  const events = await over;
  assert.equal(end(events), "success");
  assert.deepEqual(cards(events).sort(), ["c1 canceled", "c1 pending", "c2 approved", "c2 pending"]);
  assert.deepEqual(
    gate.recorded.events.map(({ basis }) => basis),
    ["canceled"],
  );
});

test("a call that nobody awaits does not end the process when its run ends without it", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  try {
    const script =
      (call: (id: string) => Promise<unknown>): Script =>
      async (each, emit) => {
        emit(runStarted(each));
        for (const id of ["c1", "c2"]) for (const event of toolCall(id, "delete_note")) emit(event);
        const both = [call("c1"), call("c2")];
        for (const each of both) await each;
      };
    const { run } = bench({ script });
    assert.equal(end(await run()), "interrupt");
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(unheard, []);
  } finally {
    process.off("unhandledRejection", hear);
  }
});

test("a call before the agent's RUN_STARTED: the run still begins before it ends", async () => {
  const { run } = bench({ script: (call) => async () => void (await call("c1")) });
  const events = await run();
  assert.deepEqual([events[0]?.type, cards(events), end(events)], ["RUN_STARTED", ["c1 pending"], "interrupt"]);
});

test("a stop while a question is being recorded: it does not stay open behind the run", async () => {
  const memory = memoryState();
  const recording = gateway();
  const going = gateway();
  const state: SessionState = {
    ...memory,
    async write(key, id, ...rest) {
      const written = await memory.write(key, id, ...rest);
      if (id === "c:c1") recording.open();
      if (id === "c:c1") await going.passed;
      return written;
    },
  };
  const { gate, run, wrapped } = bench({ gate: { state } });
  const over = run();
  await recording.passed;
  wrapped.abortRun();
  going.open();
  const events = await over;
  assert.deepEqual([end(events), await gate.pending("t", ANN)], ["success", []]);
  assert.deepEqual(cards(events), ["c1 pending", "c1 canceled"]);
  assert.deepEqual(
    gate.recorded.events.map(({ basis }) => basis),
    ["canceled"],
  );
});

test("the same behind a handler, whose runs have an end of their own", async () => {
  const { state, slow } = slowLists();
  let started = 0;
  const gate = testGate({ state, tools: { delete_note: () => "gone" }, tiers: { delete_note: "confirm" } });
  const agent = new ScriptedAgent(async (each, emit) => {
    if (started++ > 0) throw new Error("the model cannot be reached");
    emit(runStarted(each));
    for (const event of toolCall("c1", "delete_note")) emit(event);
    await gate.execute({ toolCallId: "c1", toolName: "delete_note", arguments: "{}" });
  });
  const handler = agentHandler(agent, gate as never, {
    mode: "interrupt",
    identify: () => ANN.context,
    heartbeatMs: 0,
  });
  const first = follow(await handler(post("/agui", input())));
  await first.done;
  assert.equal(end(first.events), "interrupt");
  for (let turn = 0; turn < 5; turn++) await slow();
  await assert.rejects(gate.decide(YES("c1"), ANN), { code: "run_active" });
  for (let turn = 0; turn < 10; turn++) await slow();
  assert.equal(started, 2);
});

test("a thread's run is canceled after its window: its parked question ends with it", async () => {
  const { tools, running, going } = heldTools();
  const gate = testGate({ tools: { delete_note: tools.delete_note }, tiers: { delete_note: "confirm" } });
  const agent = new ScriptedAgent(async (each, emit) => {
    emit(runStarted(each));
    for (const id of ["c1", "c2"]) for (const event of toolCall(id, "delete_note")) emit(event);
    const calls = ["c1", "c2"].map((id) =>
      gate.execute({ toolCallId: id, toolName: "delete_note", arguments: JSON.stringify({ id }) }),
    );
    await Promise.all(calls);
    emit(runFinished(each));
  });
  const handler = agentHandler(agent, gate as never, { identify: () => ANN.context, heartbeatMs: 0 });
  const stream = follow(await handler(post("/agui", input())));
  await until(async () => (await gate.pending("t", ANN)).length === 2);
  void gate.decide(YES("c2"), ANN);
  await running.passed;
  await gate.clock.advance(30_000);
  const canceled = handler(post("/agui/cancel", { threadId: "t" }));
  await until(() => cards(stream.events).includes("c1 canceled"));
  going.open();
  assert.equal((await canceled).status, 200);
  await stream.done;
  assert.deepEqual(cards(stream.events).sort(), ["c1 canceled", "c1 pending", "c2 approved", "c2 pending"]);
  assert.deepEqual(await gate.pending("t", ANN), []);
});
