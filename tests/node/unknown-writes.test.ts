// A store that fails at a write may have written all the same: who wrote finds out, and nothing runs twice or unasked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate, type Gate, type GateOptions, memoryState, type SessionState } from "ackgate";
import { fakeRunner } from "ackgate/testing";

const CALL = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };
const YES = { sessionId: "s1", confirmationId: "c1", approved: true } as const;
const KEY = { app: "ack", user: "u1", session: "s1" };

type Failure = "applied" | "not applied" | "hangs, applied";

/** Fails at the first `times` writes whose record holds `part`. */
function failing(memory: SessionState, part: string, failure: Failure, times = 1) {
  let left = times;
  const state: SessionState = {
    ...memory,
    async write(session, id, record, ifVersion) {
      if (left === 0 || !record?.includes(part)) return memory.write(session, id, record, ifVersion);
      left -= 1;
      if (failure !== "not applied") await memory.write(session, id, record, ifVersion);
      if (failure === "hangs, applied") await new Promise(() => {});
      throw new Error("connection reset");
    },
  };
  return state;
}

function bench(state: SessionState, options: object = {}) {
  const ran: string[] = [];
  const events: string[] = [];
  const gate = createGate({
    state,
    user: "u1",
    tools: { delete_note: () => `ran ${ran.push("delete")}` },
    defaultTier: "confirm",
    leaseMs: 2_000,
    logger: { warn() {}, error() {} },
    onPermission: ({ basis }: { basis: string }) => events.push(basis),
    ...options,
  } as GateOptions) as unknown as Gate;
  gate.resumeWith(fakeRunner());
  return { gate, ran, events };
}
const record = async (state: SessionState) => JSON.parse((await state.read(KEY, "c:c1"))?.record ?? "{}");
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

const STAGES = {
  request: '"stage":"pending"',
  decide: '"stage":"decided"',
  claim: '"stage":"executing"',
  finish: '"stage":"settled"',
};
for (const [event, part] of Object.entries(STAGES)) {
  for (const failure of ["applied", "not applied"] as const) {
    test(`a failed write of ${event} that was ${failure} changes nothing: one run, one result`, async () => {
      const memory = memoryState();
      const { gate, ran, events } = bench(failing(memory, part, failure));
      const running = gate.execute(CALL);
      await until(async () => (await gate.pending("s1")).length > 0);
      // Who decides may meet an owner that has not yet found its own question: then it carries the call out.
      assert.equal((await gate.decide(YES)).status, "approved");
      assert.deepEqual((await running).denied, false);
      assert.deepEqual([ran.length, events], [1, []]);
      const { stage, execution, fence } = await record(memory);
      assert.deepEqual([stage, execution, fence], ["settled", "ran", 1]);
    });
  }
}

test("every write has an id of its own", async () => {
  const ids: string[] = [];
  const memory = memoryState();
  const state: SessionState = {
    ...memory,
    write(session, id, text, ifVersion) {
      ids.push(JSON.parse(text ?? "{}").writeId);
      return memory.write(session, id, text, ifVersion);
    },
  };
  const { gate } = bench(state);
  const running = gate.execute(CALL);
  await until(async () => (await gate.pending("s1")).length > 0);
  await gate.decide(YES);
  await running;
  assert.ok(ids.length >= 4 && ids.every((id) => typeof id === "string" && id.length > 8));
  assert.equal(new Set(ids).size, ids.length);
});

test("a request whose write stays unknown is refused, and what was written is ended", async () => {
  const memory = memoryState();
  const { gate, ran, events } = bench(failing(memory, STAGES.request, "hangs, applied"), { storeTimeoutMs: 20 });
  const refused = await gate.execute(CALL);
  assert.ok(refused.denied);
  await until(async () => (await record(memory)).stage === "settled");
  assert.deepEqual([(await record(memory)).status, ran, events], ["canceled", [], ["persist-failed"]]);
});

for (const reader of ["pending", "sweep", "decide"] as const) {
  test(`a request that was written long after its call was refused is ended by its own instance: ${reader}`, async () => {
    const memory = memoryState();
    let late: (() => Promise<unknown>) | undefined;
    const state: SessionState = {
      ...memory,
      async write(...args) {
        if (!args[2]?.includes(STAGES.request)) return memory.write(...args);
        late = () => memory.write(...args);
        throw new Error("connection reset");
      },
    };
    const { gate, ran } = bench(state);
    assert.ok((await gate.execute(CALL)).denied);
    await late?.();
    assert.equal((await record(memory)).status, "pending");
    if (reader === "decide") await assert.rejects(gate.decide(YES));
    else if (reader === "sweep") await gate.sweep();
    else assert.deepEqual(await gate.pending("s1"), []);
    assert.deepEqual([(await record(memory)).status, ran], ["canceled", []]);
  });
}

test("with the store down a decision is an error, nothing is consumed, the run waits on and goes on later", async () => {
  const memory = memoryState();
  let down = false;
  const through = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => (down ? Promise.reject(new Error("connection refused")) : work(...args));
  };
  const state: SessionState = {
    ...memory,
    read: through(memory.read),
    list: through(memory.list),
    write: through(memory.write),
  };
  const { gate, ran } = bench(state, { storeTimeoutMs: 50 });
  const running = gate.execute(CALL);
  await until(async () => (await gate.pending("s1")).length > 0);
  down = true;
  await assert.rejects(gate.decide(YES));
  await assert.rejects(gate.pending("s1"));
  assert.equal((await record(memory)).stage, "pending");
  down = false;
  await gate.decide(YES);
  assert.equal((await running).denied, false);
  assert.equal(ran.length, 1);
});
