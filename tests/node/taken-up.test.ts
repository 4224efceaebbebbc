// Answers that a later run, or none, carries out.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunAgentInput } from "@ag-ui/client";
import { memoryState, type SessionState } from "ackgate";
import { gateway, input, runFinished, runStarted, type Script, toolCall, until } from "./agui-fakes.ts";
import { ANN, bench, cards, end, heldTools, resumed, SESSION, YES, yes } from "./parking-bench.ts";

test("a run that is stopped while an answer is judged again: it is canceled, not refused, and never run", async () => {
  const judging = gateway();
  let consulted = 0;
  const sources = {
    slow: async () => {
      if (++consulted > 1) judging.open();
      if (consulted > 1) await new Promise(() => {});
      return "abstain" as const;
    },
  };
  const state = memoryState();
  const { gate, ran, wrapped, run } = bench({ gate: { sources, state } });
  assert.equal(end(await run()), "interrupt");
  const second = run(resumed("r2", yes("c1"))).catch(() => undefined);
  await judging.passed;
  wrapped.abortRun();
  await second;
  await until(async () => (await gate.pending("t", ANN)).length === 0);
  const { status, decision, result } = JSON.parse((await state.read(SESSION, "c:c1"))?.record ?? "");
  assert.deepEqual([status, decision, ran], ["canceled", "approved", []]);
  assert.match(result, /The run was stopped/);
  assert.deepEqual(
    gate.recorded.audit.map(({ basis, disposition }) => [basis, disposition]),
    [["canceled", "deny"]],
  );
});

for (const name of ["editedArguments", "edited", "args"]) {
  test(`an approval in a resume with \`${name}\`, which it does not have, is not one of the call as it was shown`, async () => {
    const { gate, run, ran } = bench();
    await run();
    const events = await run(resumed("r2", yes("c1", { [name]: { id: "other" } })));
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.code], ["RUN_ERROR", "INVALID_RESUME"]);
    assert.deepEqual([ran, (await gate.pending("t", ANN)).map(({ status }) => status)], [[], ["pending"]]);
  });
}

test("an answer by POST, and then by resume: the card is settled once", async () => {
  const { gate, run, ran } = bench({ calls: ["c1", "c2"] });
  await run();
  await gate.decide(YES("c1"), ANN);
  const events = await run(resumed("r2", yes("c1"), yes("c2")));
  assert.deepEqual([end(events), ran.sort()], ["success", ["c1", "c2"]]);
  assert.deepEqual(cards(events).sort(), ["c1 approved", "c2 approved"]);
});

test("`close` waits for the tool of an answer that is carried out without its run", async () => {
  const started = gateway();
  const going = gateway();
  let done = false;
  const tools = {
    delete_note: async () => {
      started.open();
      await going.passed;
      done = true;
    },
    read_note: () => "",
  };
  const { gate, run } = bench({ gate: { tools } });
  await run();
  const decided = gate.decide(YES("c1"), ANN).catch(() => undefined);
  await started.passed;
  let closed = false;
  const closing = gate.close().then(() => {
    closed = true;
  });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([closed, done], [false, false]);
  going.open();
  await Promise.all([closing, decided]);
  assert.equal(done, true);
});

test("a resume that comes again when only a tombstone is left shows no card without a tool", async () => {
  const state = memoryState();
  const { gate, run, ran } = bench({ gate: { state, keep: { count: 0, ms: 0 } } });
  await run();
  assert.deepEqual(cards(await run(resumed("r2", yes("c1")))), ["c1 approved"]);
  await gate.pending("t", ANN);
  await until(async () => !(await state.read(SESSION, "c:c1"))?.record.includes('"stage"'));
  const messages = [{ id: "m", role: "tool", toolCallId: "c1", content: "gone" }] as RunAgentInput["messages"];
  const again = await run({ ...resumed("r3", yes("c1")), messages });
  assert.deepEqual([end(again), cards(again), ran], ["success", [], ["c1"]]);
});

test("one of two answers cannot be carried out: the run fails after the other one is, not beside it", async () => {
  const started = gateway();
  const going = gateway();
  const tools = async ({ user }: { user?: string }) => ({
    delete_note: async ({ id }: { id: string }) => {
      assert.equal(user, "ann");
      if (id === "c1") started.open();
      if (id === "c1") await going.passed;
      return "gone";
    },
  });
  const memory = memoryState();
  let breaks = false;
  const state: SessionState = {
    ...memory,
    async write(key, id, record, ...rest) {
      if (breaks && id === "c:c2" && record?.includes('"executing"')) throw new Error("the store is down");
      return memory.write(key, id, record, ...rest);
    },
  };
  const { gate, run } = bench({
    calls: ["c1", "c2"],
    gate: { tools: tools as never, tiers: {}, defaultTier: "confirm", state },
  });
  await run();
  breaks = true;
  let failed = false;
  const second = run(resumed("r2", yes("c1"), yes("c2"))).catch(() => {
    failed = true;
  });
  await started.passed;
  await gate.clock.advance(5_000);
  assert.equal(failed, false);
  going.open();
  await second;
  assert.equal(failed, true);
  const record = JSON.parse((await memory.read(SESSION, "c:c1"))?.record ?? "");
  assert.deepEqual([record.stage, record.execution], ["settled", "ran"]);
});

test("a run that is stopped while an answered tool runs gives its result and ends, without its agent", async () => {
  const { tools, running, going } = heldTools();
  let agents = 0;
  const script =
    (call: (id: string) => Promise<unknown>): Script =>
    async (each, emit) => {
      agents++;
      emit(runStarted(each));
      for (const event of toolCall("c1", "delete_note")) emit(event);
      await call("c1");
    };
  const { gate, run, wrapped } = bench({ gate: { tools }, script });
  await run();
  const second = run({ ...resumed("r2", yes("c1")), protocolVersion: "1.0" } as RunAgentInput);
  await running.passed;
  wrapped.abortRun();
  going.open();
  const events = await second;
  assert.deepEqual(
    events.map(({ type }) => type),
    ["RUN_STARTED", "CUSTOM", "TOOL_CALL_RESULT", "RUN_FINISHED"],
  );
  assert.deepEqual([end(events), agents, await gate.pending("t", ANN)], ["cancelled", 1, []]);
});

test("a stopped run leaves an answer alone that another call is about to carry out", async () => {
  const judging = gateway();
  const going = gateway();
  let consulted = 0;
  const sources = {
    async slow() {
      if (++consulted === 3) {
        judging.open();
        await going.passed;
      }
      return "abstain" as const;
    },
  };
  const { gate, ran, run, wrapped, call } = bench({ gate: { sources } });
  await run();
  gate.resumeWith({ run: () => assert.fail("the call itself goes on") });
  const picked = gate.run({ ...ANN, sessionId: "t", runId: "r" }, () => call("c1"));
  await until(async () => (await gate.pending("t", ANN))[0]?.live === true);
  void gate.decide(YES("c1"), ANN);
  await judging.passed;
  const second = run(resumed("r2", yes("c1")));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  wrapped.abortRun();
  assert.equal((await second).at(-1)?.type, "RUN_FINISHED");
  going.open();
  assert.deepEqual([(await picked).content, ran], ['"gone 1"', ["c1"]]);
});

test("a resume that reaches two instances at once goes on in one run", async () => {
  const state: SessionState = { ...memoryState(), exclusive: false };
  const agents: string[] = [];
  const script =
    (call: (id: string) => Promise<unknown>): Script =>
    async (each, emit) => {
      agents.push(each.runId);
      emit(runStarted(each));
      if (!each.messages.some(({ role }) => role === "tool")) {
        for (const event of toolCall("c1", "delete_note")) emit(event);
        await call("c1");
      }
      emit(runFinished(each));
    };
  const instances = [bench({ gate: { state }, script }), bench({ gate: { state }, script })];
  await instances[0]?.run(input({ runId: "r1" }));
  const runs = await Promise.all(instances.map(({ run }) => run(resumed("r2", yes("c1")))));
  assert.deepEqual(runs.map(end), ["success", "success"]);
  assert.deepEqual([agents, instances.flatMap(({ ran }) => ran)], [["r1", "r2"], ["c1"]]);
  const results = runs.flat().filter(({ type }) => type === "TOOL_CALL_RESULT");
  assert.deepEqual(
    results.map(({ content }) => content),
    ['"gone 1"', '"gone 1"'],
  );
});
