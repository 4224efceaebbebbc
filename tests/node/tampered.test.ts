// A store that gives back another call than the one that was approved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, memoryState } from "ackgate";
import { fakeRunner, testGate } from "ackgate/testing";

const key = { app: "ack", user: "user", session: "s1" };
const call = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n1"}' };

/** A gate whose parked question about `call` is another one in the store. */
async function tampered(changes: object) {
  const state = memoryState();
  const ran: string[] = [];
  const tools = { delete_note: ({ id }: { id: string }) => ran.push(id) };
  const gate = testGate({ state, tools, defaultTier: "confirm", answers: { delete_note: "ignore" } });
  gate.resumeWith(fakeRunner());
  await gate.request(call);
  const { record, version } = (await state.read(key, "c:c1")) ?? { record: "{}", version: "" };
  await state.write(key, "c:c1", JSON.stringify({ ...JSON.parse(record), ...changes }), version);
  return { gate, ran };
}

for (const [what, changes] of [
  ["other arguments", { arguments: '{"id":"n2"}' }],
  ["another tool's name", { toolName: "delete_all" }],
  ["another server", { server: "elsewhere" }],
] as const) {
  test(`${what}: what was approved is not what is stored, so it does not run`, async () => {
    const { gate, ran } = await tampered(changes);
    const decided = gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true });
    await assert.rejects(decided, (error) => AckError.is(error) && error.code === "state_corrupt");
    assert.deepEqual(ran, []);
    assert.equal(await gate.cancelSession("s1"), 1);
    assert.deepEqual(await gate.pending("s1"), []);
  });
}

test("the same call in other words is the same call", async () => {
  const { gate, ran } = await tampered({ arguments: '{ "id" : "n1" }' });
  await gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true });
  assert.deepEqual(ran, ["n1"]);
});
