// Block mode end to end: the real HttpAgent, a real socket, a person's POST.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractAgent, type BaseEvent, EventType, HttpAgent, type Message, type RunAgentInput } from "@ag-ui/client";
import { createGate, memoryState, type Payload } from "ackgate";
import { wrapAgent } from "ackgate/agui";
import { from, type Observable } from "rxjs";
import { type Host, type Seen, startHost, watch } from "./notes-host.js";

async function withHost(options: Parameters<typeof startHost>[0], body: (host: Host) => Promise<void>): Promise<void> {
  const host = await startHost(options);
  try {
    await body(host);
  } finally {
    await host.close();
  }
}

test("an approved call runs once and its result is in the stream", () =>
  withHost({ script: [["delete_note", { id: "n2" }]] }, async (host) => {
    const answers: unknown[] = [];
    const seen = await watch(host.agent("t1"), async ({ confirmationId }) => {
      answers.push((await host.pending("t1")).map(({ live, toolName }) => ({ live, toolName })));
      answers.push(await host.decide({ threadId: "t1", confirmationId, approved: true }));
    });
    assert.deepEqual(answers, [
      [{ live: true, toolName: "delete_note" }],
      { status: 200, body: { path: "live", status: "approved" } },
    ]);
    assert.deepEqual(host.ran, ["delete n2"]);
    assert.deepEqual(seen.results, ['{"deleted":"n2"}']);
    assert.deepEqual(seen.order.slice(1, 8), [
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "CUSTOM pending",
      "CUSTOM approved",
      "TOOL_CALL_RESULT",
      "TEXT_MESSAGE_START",
    ]);
    assert.equal(seen.order.at(-1), "RUN_FINISHED");
    assert.deepEqual(host.events, []);
    assert.deepEqual(await host.pending("t1"), []);
  }));

test("a denied call never runs and the model reads that the person declined", () =>
  withHost({ script: [["delete_note", { id: "n2" }]] }, async (host) => {
    let answer: unknown;
    const seen = await watch(host.agent("t1"), async ({ confirmationId }) => {
      answer = await host.decide({ threadId: "t1", confirmationId, approved: false, note: "keep it" });
    });
    assert.deepEqual(answer, { status: 200, body: { path: "live", status: "denied" } });
    assert.deepEqual(host.ran, []);
    assert.deepEqual(
      seen.cards.map((card) => card.status),
      ["pending", "denied"],
    );
    const denial = JSON.parse(seen.results[0] ?? "") as { status: string; tool: string; reason: string };
    assert.equal(denial.status, "denied");
    assert.match(denial.reason, /declined.*Do not retry.*keep it/);
    assert.deepEqual(host.events, []);
  }));

test("what is remembered answers the next call of the tool", () =>
  withHost({}, async (host) => {
    const seen = await watch(host.agent("t1"), ({ confirmationId }) =>
      host.decide({ threadId: "t1", confirmationId, approved: true, remember: "session" }),
    );
    assert.deepEqual(host.ran, ["read n1", "delete n2", "delete n3"]);
    assert.deepEqual(
      seen.cards.map((card) => card.status),
      ["pending", "approved"],
    );
    assert.deepEqual(
      host.events.map(({ basis, allowed, call }) => [basis, allowed, call.toolName]),
      [
        ["tier", true, "read_note"],
        ["grant", true, "delete_note"],
      ],
    );
  }));

test("a deny tier runs nothing and asks nobody", () =>
  withHost({ script: [["wipe_notes", {}]] }, async (host) => {
    const seen = await watch(host.agent("t1"), () => assert.fail("nobody is asked"));
    assert.deepEqual(host.ran, []);
    assert.match(seen.results[0] ?? "", /not permitted/);
    assert.deepEqual(
      host.events.map(({ basis, allowed }) => [basis, allowed]),
      [["tier", false]],
    );
  }));

test("deciding twice executes once: the same answer is replayed, another one is a conflict", () =>
  withHost({ script: [["delete_note", { id: "n2" }]] }, async (host) => {
    const answers: { status: number; body: Record<string, unknown> }[] = [];
    await watch(host.agent("t1"), async ({ confirmationId }) => {
      const yes = { threadId: "t1", confirmationId, approved: true };
      answers.push(...(await Promise.all([host.decide(yes), host.decide(yes)])));
      answers.push(await host.decide(yes), await host.decide({ ...yes, approved: false }));
    });
    // The run may end before the last answers are back.
    const late = { threadId: "t1", confirmationId: "call-0", approved: false };
    while (answers.length < 4) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(host.ran, ["delete n2"]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 409],
    );
    assert.equal(answers.filter(({ body }) => body.replayed === true).length, 2);
    assert.equal((await host.decide(late)).status, 409);
  }));

test("a stop while a person is asked ends the question as canceled", () =>
  withHost({ script: [["delete_note", { id: "n2" }]] }, async (host) => {
    const seen = await watch(host.agent("t1"), () =>
      fetch(`${host.base}/agui/cancel`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ threadId: "t1" }),
      }),
    );
    assert.equal(seen.order.at(-1), "RUN_FINISHED");
    while ((await host.pending("t1")).length > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(host.ran, []);
    assert.deepEqual(
      host.events.map(({ basis, allowed }) => [basis, allowed]),
      [["canceled", false]],
    );
    assert.equal((await host.decide({ threadId: "t1", confirmationId: "call-0", approved: true })).status, 409);
  }));

test("a new turn while an earlier call still waits: the model reads that it waits, not that its outcome is unknown", async () => {
  const gate = createGate({ state: memoryState(), tools: { delete_note: () => 1 }, defaultTier: "confirm" });
  await gate.request({ sessionId: "t1", toolCallId: "c1", toolName: "delete_note", arguments: "{}" });
  let read: Message[] = [];
  class Listening extends AbstractAgent {
    run({ threadId, runId, messages }: RunAgentInput): Observable<BaseEvent> {
      read = messages;
      return from([
        { type: EventType.RUN_STARTED, threadId, runId },
        { type: EventType.RUN_FINISHED, threadId, runId },
      ] as BaseEvent[]);
    }
  }
  const call = { id: "c1", type: "function", function: { name: "delete_note", arguments: "{}" } } as const;
  const initialMessages: Message[] = [
    { id: "m1", role: "assistant", toolCalls: [call] },
    { id: "m2", role: "user", content: "and?" },
  ];
  await wrapAgent(new Listening({ threadId: "t1", initialMessages }), gate, { mode: "block" }).runAgent({});
  const result = read.find((message) => message.role === "tool");
  assert.match(String(result?.content), /waits for a person.*Do not call it again/);
  assert.equal((await gate.pending("t1"))[0]?.status, "pending");
});

test("a host that is gone while a person is asked: the next one carries on, and the thread is read from its history", async () => {
  const state = memoryState();
  const first = await startHost({ state, script: [["delete_note", { id: "n2" }]] });
  let card: Seen["cards"][number] | undefined;
  const lost = watch(first.agent("t1"), (pending) => {
    card = pending;
  }).catch((error: unknown) => error);
  while (!card) await new Promise((resolve) => setImmediate(resolve));
  // The client hears the end of its run before its connection is cut.
  await first.gate.close();
  await lost;
  await first.close();

  await withHost({ state, script: [["delete_note", { id: "n2" }]] }, async (second) => {
    assert.deepEqual(
      (await second.pending("t1")).map(({ live, status }) => [live, status]),
      [[false, "pending"]],
    );
    const answer = { threadId: "t1", confirmationId: card?.confirmationId, approved: true };
    assert.deepEqual(await second.decide(answer), { status: 200, body: { path: "recovery", status: "approved" } });
    assert.deepEqual([first.ran, second.ran], [[], ["delete n2"]]);
    const history = new HttpAgent({ url: `${second.base}/agui/history`, threadId: "t1" });
    while (history.messages.at(-1)?.content !== "Done.") await history.runAgent({});
    assert.deepEqual(
      history.messages.map((message) => message.role),
      ["user", "assistant", "tool", "activity", "assistant"],
    );
    const drawn = history.messages[3]?.content as unknown as { value: Payload };
    assert.equal(drawn.value.status, "approved", "the card is not shown as open");
    assert.deepEqual(await second.pending("t1"), []);
  });
});
