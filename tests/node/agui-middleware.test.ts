// The second choice: the gate as a middleware of an agent that can't be wrapped; and what a wrapped agent is given after a recovery.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunAgentInput } from "@ag-ui/client";
import { type Gate, memoryState } from "ackgate";
import { middleware, type WrapOptions, wrapAgent } from "ackgate/agui";
import { testGate } from "ackgate/testing";
import { collect, type Event, input, runFinished, runStarted, ScriptedAgent, toolCall, until } from "./agui-fakes.ts";

const tools = { delete_note: ({ id }: { id: string }) => ({ deleted: id }) };

/** Deletes a note as soon as somebody says something, and ends when it has a result. */
function deleting(gate: Gate, given: RunAgentInput[] = []): ScriptedAgent {
  return new ScriptedAgent(async (each, emit) => {
    given.push(each);
    emit(runStarted(each));
    if (each.messages.at(-1)?.role === "user") {
      for (const event of toolCall("c1", "delete_note", '{"id":"n1"}')) emit(event);
      const call = { toolCallId: "c1", toolName: "delete_note", arguments: { id: "n1" } };
      const { content } = await gate.execute(call);
      emit({ type: "TOOL_CALL_RESULT", messageId: "m1", toolCallId: "c1", content });
    }
    emit(runFinished(each));
  });
}

async function asked(agent: ScriptedAgent): Promise<Event[]> {
  const events: Event[] = [];
  agent.threadId = "t";
  agent.addMessage({ id: "u1", role: "user", content: "tidy up" });
  await agent.runAgent({ runId: "r" }, { onEvent: ({ event }) => void events.push(event as unknown as Event) });
  return events;
}

const outcomeOf = (events: readonly Event[]) => (events.at(-1)?.outcome as { type: string } | undefined)?.type;

test("middleware: the gated tools of a run speak into its stream", async () => {
  const gate = testGate({ tools, tiers: { delete_note: "confirm" }, answers: { delete_note: "approve" } });
  const agent = deleting(gate as unknown as Gate);
  agent.use(middleware(gate as unknown as Gate, { mode: "block" }));
  const events = await asked(agent);
  const cards = events.filter(({ type }) => type === "CUSTOM").map(({ value }) => (value as { status: string }).status);
  assert.deepEqual(cards, ["pending", "approved"]);
  assert.equal(events.find(({ type }) => type === "TOOL_CALL_RESULT")?.content, '{"deleted":"n1"}');
});

test("middleware: a run ends with its questions open", async () => {
  const gate = testGate({ tools, tiers: { delete_note: "confirm" }, answers: { delete_note: "ignore" } });
  const agent = deleting(gate as unknown as Gate);
  agent.use(middleware(gate as unknown as Gate, { mode: "interrupt" }));
  assert.equal(outcomeOf(await asked(agent)), "interrupt");
  assert.deepEqual(
    (await gate.pending("t")).map(({ confirmationId }) => confirmationId),
    ["c1"],
  );
});

test("middleware: a bare run goes past it, and its gated tools fail closed with the way out", async () => {
  const gate = testGate({ tools, tiers: { delete_note: "confirm" } });
  const agent = deleting(gate as unknown as Gate);
  agent.use(middleware(gate as unknown as Gate, { mode: "block" }));
  const run = collect(agent.run(input({ messages: [{ id: "u1", role: "user", content: "tidy up" }] })));
  await assert.rejects(run, /belongs to no session: pass `sessionId` or call inside `gate.run`/);
});

test("middleware: options are read strictly", () => {
  const gate = testGate({ tools, tiers: { delete_note: "confirm" } }) as unknown as Gate;
  assert.throws(() => middleware(gate, { mode: "live" } as unknown as WrapOptions), /`mode` is `live`/);
});

test("wrapAgent: after a recovery the agent is given each result behind its call", async () => {
  const state = memoryState();
  const options = { state, tools, tiers: { delete_note: "confirm" } } as const;
  const given: RunAgentInput[] = [];
  const gate = testGate({ ...options, answers: { delete_note: "ignore" } });
  const agent = deleting(gate as unknown as Gate, given);
  const wrapped = wrapAgent(agent, gate as unknown as Gate, { mode: "interrupt" });
  const first = input({ messages: [{ id: "u1", role: "user", content: "tidy up" }] });
  assert.equal(outcomeOf((await collect(wrapped.run(first))) as Event[]), "interrupt");
  const decided = await gate.decide({ sessionId: "t", confirmationId: "c1", approved: true });
  assert.deepEqual(decided, { path: "recovery", status: "approved" });
  await until(() => given.length === 2);
  const call = { id: "c1", type: "function", function: { name: "delete_note", arguments: '{"id":"n1"}' } };
  assert.deepEqual(given[1]?.messages, [
    { id: "c1", role: "assistant", toolCalls: [call] },
    { id: "result:c1", role: "tool", toolCallId: "c1", content: '{"deleted":"n1"}' },
  ]);
});
