// `scriptedModel`: what comes next follows from the messages alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError } from "ackgate";
import { scriptedModel, testGate } from "ackgate/testing";

const user = { role: "user" };
const answer = (toolCallId: string) => ({ role: "tool", toolCallId });
const two = [{ toolName: "delete_note", arguments: { id: "n2" } }, { toolName: "list_notes" }];
const model = scriptedModel([{ text: "Let me see.", calls: two }, { text: "Done." }, { text: "You're welcome." }]);
const [first, second] = [
  { toolCallId: "call-1", toolName: "delete_note", arguments: '{"id":"n2"}' },
  { toolCallId: "call-2", toolName: "list_notes", arguments: "{}" },
];

test("a turn goes on until each of its calls has an answer", () => {
  assert.deepEqual(model([user]), { text: "Let me see.", calls: [first, second] });
  assert.deepEqual(model([user, answer("call-1")]), { text: "", calls: [second] });
  assert.deepEqual(model([answer("call-2"), user]), { text: "", calls: [first] });
  assert.deepEqual(model([user, answer("call-1"), answer("call-2")]), { text: "Done.", calls: [] });
  // As a resumed run has it: nothing but results.
  assert.deepEqual(model([answer("call-1"), answer("call-2")]), { text: "Done.", calls: [] });
  // Only a tool's own message answers.
  assert.equal(model([user, { role: "assistant", toolCallId: "call-1" }]).calls.length, 2);
});

test("each message of the user goes on behind a turn without calls; behind the last one it throws", () => {
  assert.deepEqual(model([user, user]), { text: "You're welcome.", calls: [] });
  assert.throws(() => model([user, user, user]), /no turn for message 3 of the user/);
  assert.throws(() => scriptedModel([])([user]), /no turn for message 1/);
});

test("a script that ends with calls ends in silence", () => {
  const silent = scriptedModel([{ calls: [{ toolName: "a", toolCallId: "mine", arguments: "[", server: "srv" }] }]);
  const calls = [{ toolCallId: "mine", toolName: "a", arguments: "[", server: "srv" }];
  assert.deepEqual(silent([user]), { text: "", calls });
  assert.deepEqual(silent([user, answer("mine")]), { text: "", calls: [] });
});

test("an id that is there twice throws at once", () => {
  const calls = [{ toolName: "a" }, { toolName: "a", toolCallId: "call-1" }];
  const twice = (error: unknown) =>
    AckError.is(error) && error.code === "bad_options" && /`call-1`/.test(error.message);
  assert.throws(() => scriptedModel([{ calls }]), twice);
});

test("a loop runs it through a gate", async () => {
  const deleted: string[] = [];
  const gate = testGate({
    tools: { delete_note: ({ id }: { id: string }) => deleted.push(id), list_notes: () => ["n1"] },
    tiers: { list_notes: "allow" },
    defaultTier: "confirm",
    answers: { delete_note: "approve" },
  });
  const messages: { role: string; toolCallId?: string; content: string }[] = [{ role: "user", content: "clean up" }];
  for (let said = model(messages); said.calls.length > 0; said = model(messages)) {
    for (const call of said.calls) {
      const { content } = await gate.execute({ sessionId: "s1", ...call });
      messages.push({ role: "tool", toolCallId: call.toolCallId, content });
    }
  }
  assert.deepEqual([deleted, messages.at(-1)?.content], [["n2"], '["n1"]']);
  gate.approver.assertDone();
});
