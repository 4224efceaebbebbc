// A remembered approval answers the session's other waiting questions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Grant, type GrantSource, memoryGrants, memoryState, type SessionState } from "ackgate";
import { testGate } from "ackgate/testing";
import { until } from "./agui-fakes.ts";
import { YES } from "./parking-bench.ts";

test("the global grants of nobody in particular answer no waiting question", async () => {
  const grants = memoryGrants();
  const global = { id: "g", app: "ack", userId: "user", sessionId: "", toolName: "send", createdBy: "x", createdAt: 0 };
  await grants.save(global as Grant, {});
  const gate = testGate({
    grants,
    settleSiblings: true,
    tools: { send: () => "sent", delete_note: () => "gone" },
    tiers: { send: "confirm", delete_note: "confirm" },
  });
  const call = (toolCallId: string, toolName: string) =>
    gate.execute({ sessionId: "t", toolCallId, toolName, arguments: "{}" });
  const both = [call("c1", "delete_note"), call("c2", "send")] as const;
  await until(async () => (await gate.pending("t")).length === 2);
  await gate.decide({ ...YES("c1"), remember: "session" });
  await both[0];
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    (await gate.pending("t")).map(({ toolCallId, status }) => [toolCallId, status]),
    [["c2", "pending"]],
  );
  await gate.close();
  await assert.rejects(both[1], { code: "closed" });
});

test("a sibling whose lease is late is answered all the same, and by the call that waits", async () => {
  const memory = memoryState();
  let old = 0;
  const aged = <T extends { ageMs: number }>(found: T) => ({ ...found, ageMs: found.ageMs + old });
  const state: SessionState = {
    ...memory,
    exclusive: false,
    async read(...args) {
      const found = await memory.read(...args);
      return found && aged(found);
    },
    list: async (...args) => (await memory.list(...args)).map(aged),
  };
  const gate = testGate({
    state,
    user: "ann",
    grants: memoryGrants(),
    settleSiblings: true,
    tools: { send: ({ to }: { to: string }) => `sent ${to}` },
    tiers: { send: "confirm" },
  });
  const call = (toolCallId: string) =>
    gate.execute({ sessionId: "t", toolCallId, toolName: "send", arguments: '{"to":"bob"}' });
  const both = [call("c1"), call("c2")];
  await until(async () => (await gate.pending("t")).length === 2);
  old = 60_000;
  await gate.decide({ ...YES("c1"), remember: "session" });
  assert.deepEqual(
    (await Promise.all(both)).map(({ content }) => content),
    ['"sent bob"', '"sent bob"'],
  );
  assert.deepEqual(
    gate.recorded.events.map(({ basis, allowed }) => [basis, allowed]),
    [["grant", true]],
  );
});

test("what denies a call that a grant has answered is what its one event names", async () => {
  const saved = memoryGrants();
  let closed = false;
  const grants: GrantSource = {
    ...saved,
    async lookup(query, context) {
      const found = await saved.lookup(query, context);
      closed = [found].flat().length > 0;
      return found;
    },
  };
  const gate = testGate({
    grants,
    user: "ann",
    settleSiblings: true,
    tools: { send: () => "sent" },
    tier: () => (closed ? "deny" : "confirm"),
  });
  const call = (toolCallId: string) => gate.execute({ sessionId: "t", toolCallId, toolName: "send", arguments: "{}" });
  const both = [call("c1"), call("c2")];
  await until(async () => (await gate.pending("t")).length === 2);
  await gate.decide({ ...YES("c1"), remember: "session" });
  assert.deepEqual(
    (await Promise.all(both)).map(({ denied }) => denied),
    [false, true],
  );
  const { events, audit } = gate.recorded;
  assert.deepEqual(
    events.map(({ basis, allowed }) => [basis, allowed]),
    [["tier", false]],
  );
  assert.equal(audit.find(({ call }) => call.toolCallId === "c2")?.basis, "tier");
});
