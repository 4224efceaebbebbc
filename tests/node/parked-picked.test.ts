// Who finds the approval of a parked question: a call of the same id, the caller of `authorize`; and what a run that holds the thread stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, type CallInit, type Gate, memoryState } from "ackgate";
import { agentHandler, wrapAgent } from "ackgate/agui";
import { fakeRunner, testGate } from "ackgate/testing";
import { collect, follow, gateway, input, post, runFinished, runStarted, ScriptedAgent, until } from "./agui-fakes.ts";

const call: CallInit = { sessionId: "t", toolCallId: "c1", toolName: "delete_note", arguments: { id: "n1" } };
const ANN = { context: { user: "ann" } };
const YES = { sessionId: "t", confirmationId: "c1", approved: true } as const;

function gateOf(state = memoryState()) {
  const ran: string[] = [];
  const tools = { delete_note: ({ id }: { id: string }) => `gone: ${id}, ${ran.push(id)}` };
  const gate = testGate({ state, tools, defaultTier: "confirm", user: "ann", answers: { delete_note: "ignore" } });
  return { gate, ran };
}

test("a call with the same id and arguments picks the approval up, once", async () => {
  const { gate, ran } = gateOf();
  assert.equal((await gate.request(call, ANN)).disposition, "confirm");
  assert.deepEqual(await gate.decide(YES, ANN), { path: "recovery", status: "approved" });
  assert.deepEqual(ran, [], "nobody carries it out without a runner");
  assert.equal((await gate.execute(call, ANN)).content, '"gone: n1, 1"');
  assert.equal((await gate.execute(call, ANN)).content, '"gone: n1, 1"', "the second one is given the same result");
  assert.deepEqual(ran, ["n1"]);
});

test("other arguments under the same id do not", async () => {
  const { gate, ran } = gateOf();
  await gate.request(call, ANN);
  await gate.decide(YES, ANN);
  const other = gate.execute({ ...call, arguments: { id: "n2" } }, ANN);
  await until(async () => (await gate.pending("t", ANN)).some(({ status }) => status === "pending"));
  assert.deepEqual(ran, []);
  await gate.cancelSession("t", ANN);
  assert.equal((await other).denied, true);
});

test("`authorize` picks the approval up, once, and the gate never runs it", async () => {
  const { gate, ran } = gateOf();
  await gate.request(call, ANN);
  await gate.decide(YES, ANN);
  gate.resumeWith(fakeRunner());
  assert.equal((await gate.authorize(call, ANN)).disposition, "allow");
  assert.equal((await gate.authorize(call, ANN)).disposition, "deny");
  assert.deepEqual([await gate.sweep(), ran], [0, []]);
});

/** A question of a gate that is gone, and a run that holds its thread at another gate. */
async function held(serve: (gate: Gate, agent: ScriptedAgent) => Promise<{ over: Promise<unknown> }>) {
  const state = memoryState();
  const gone = gateOf(state);
  gone.gate.execute(call, ANN).catch(() => undefined);
  await until(async () => (await gone.gate.pending("t", ANN)).length === 1);
  await gone.gate.close();
  const { gate, ran } = gateOf(state);
  const go = gateway();
  let runs = 0;
  const agent = new ScriptedAgent(async (each, emit) => {
    emit(runStarted(each));
    if (++runs === 1) await go.passed;
    emit(runFinished(each));
  });
  const { over } = await serve(gate as unknown as Gate, agent);
  return { gate, ran, go, over, runs: () => runs };
}

const WAYS = {
  agentHandler: async (gate: Gate, agent: ScriptedAgent) => {
    const handler = agentHandler(agent, gate, { mode: "block", identify: () => ({ user: "ann" }) });
    return { over: follow(await handler(post("/agui", input()))).done };
  },
  wrapAgent: async (gate: Gate, agent: ScriptedAgent) => {
    const wrapped = wrapAgent(agent, gate, { mode: "block", context: () => ({ user: "ann" }) });
    return { over: collect(wrapped.run(input())) };
  },
};

for (const [name, serve] of Object.entries(WAYS)) {
  test(`${name}: an answer for a dead owner's question waits for the run that holds the thread, and consumes nothing`, async () => {
    const { gate, ran, go, over, runs } = await held(serve);
    await until(() => runs() === 1);
    const before = await gate.pending("t", ANN);
    await assert.rejects(gate.decide(YES, ANN), (error) => AckError.is(error) && error.code === "run_active");
    assert.deepEqual([await gate.pending("t", ANN), ran], [before, []]);
    go.open();
    await over;
    assert.deepEqual(await gate.decide(YES, ANN), { path: "recovery", status: "approved" });
    await until(() => runs() === 2);
    assert.deepEqual(ran, ["n1"]);
  });
}
