// What is over shrinks: by age and by count, only once its thread or its caller has the result.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate, type Gate, type GateOptions, memoryState, type SessionState } from "ackgate";
import { fakeClock } from "ackgate/testing";

const KEY = { app: "ack", user: "u1", session: "s1" };
const HOUR = 60 * 60 * 1_000;

function bench(options: object = {}) {
  const state = memoryState();
  const clock = fakeClock(1_000_000);
  const gate = createGate({
    state,
    user: "u1",
    tools: { delete_note: ({ id }: { id: string }) => `deleted ${id}` },
    defaultTier: "confirm",
    logger: { warn() {}, error() {} },
    clock,
    ...options,
  } as GateOptions) as unknown as Gate;
  return { state, clock, gate };
}
const call = (id: string) => ({
  sessionId: "s1",
  toolCallId: id,
  toolName: "delete_note",
  arguments: `{"id":"${id}"}`,
});
const stored = async (state: SessionState) =>
  new Map((await state.list(KEY, "confirmation")).map(({ id, record }) => [id.slice(2), JSON.parse(record) as object]));
const whole = async (state: SessionState) =>
  [...(await stored(state))].filter(([, record]) => "arguments" in record).map(([id]) => id);

/** An approval that a caller took: nothing of it is needed for a thread. */
async function handedOver({ gate }: { gate: Gate }, id: string): Promise<void> {
  const waiting = gate.authorize(call(id));
  while ((await gate.pending("s1")).length === 0) await new Promise((resolve) => setImmediate(resolve));
  await gate.decide({ sessionId: "s1", confirmationId: id, approved: true });
  assert.equal((await waiting).disposition, "allow");
}
/** Reads the session, and waits for what that sets off. */
async function read({ gate, state }: { gate: Gate; state: SessionState }, left: number): Promise<string[]> {
  await gate.pending("s1");
  while ((await whole(state)).length > left) await new Promise((resolve) => setImmediate(resolve));
  return whole(state);
}

test("over the count the oldest shrink to their tombstones", async () => {
  const world = bench({ keep: { count: 2 } });
  for (const id of ["a", "b", "c", "d"]) {
    await world.clock.advance(10);
    await handedOver(world, id);
  }
  assert.deepEqual(await read(world, 2), ["c", "d"]);
  const { writeId, ...tombstone } = (await stored(world.state)).get("a") as { writeId: string };
  assert.deepEqual(Object.keys(tombstone).sort(), ["argumentsDigest", "confirmationId", "settledAt", "status"]);
  assert.equal(typeof writeId, "string");
});

test("an hour after its end a delivered record shrinks", async () => {
  const world = bench();
  await handedOver(world, "a");
  await world.clock.advance(HOUR);
  assert.deepEqual(await read(world, 1), ["a"]);
  await world.clock.advance(1);
  assert.deepEqual(await read(world, 0), []);
});

test("what is open or not delivered is kept whole, however old it is", async () => {
  const world = bench({ keep: { ms: 0, count: 0 } });
  await world.gate.request(call("open"));
  const running = world.gate.execute(call("ran"));
  while (!(await stored(world.state)).has("ran")) await new Promise((resolve) => setImmediate(resolve));
  await world.gate.decide({ sessionId: "s1", confirmationId: "ran", approved: true });
  await running;
  await world.clock.advance(10 * HOUR);
  await world.gate.sweep();
  assert.deepEqual((await whole(world.state)).sort(), ["open", "ran"]);
});

test("a repeated decision is answered from the record before and from the tombstone after", async () => {
  const world = bench({ keep: { ms: HOUR, count: 10 } });
  await handedOver(world, "a");
  const decision = { sessionId: "s1", confirmationId: "a", approved: true } as const;
  assert.equal((await world.gate.decide(decision)).replayed, true);
  await world.clock.advance(HOUR + 1);
  await read(world, 0);
  assert.deepEqual(await world.gate.decide(decision), { path: "live", status: "approved", replayed: true });
  await assert.rejects(world.gate.decide({ ...decision, approved: false }), { code: "already_settled" });
});

test("an id with a tombstone is never given again", async () => {
  const world = bench({ keep: { ms: 0, count: 0 } });
  await handedOver(world, "a");
  await read(world, 0);
  const again = await world.gate.request(call("a"));
  assert.ok(again.disposition === "confirm" && again.request.confirmationId !== "a");
  assert.equal(again.request.toolCallId, "a");
});

test("the 65th open confirmation of a session is refused", async () => {
  const { gate } = bench();
  for (let index = 0; index < 64; index += 1)
    assert.equal((await gate.request(call(`c${index}`))).disposition, "confirm");
  const refused = await gate.request(call("c64"));
  assert.deepEqual(refused.disposition === "deny" && refused.basis, "persist-failed");
  assert.equal((await gate.request({ ...call("c64"), sessionId: "s2" })).disposition, "confirm");
});
