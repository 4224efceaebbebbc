// What a person may say with a decision: which call was shown, other arguments, which grant to save.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AckError,
  type AuditRecord,
  createGate,
  type Decision,
  type Gate,
  type GateOptions,
  type Grant,
  memoryGrants,
  memoryState,
  type PolicyDocument,
  type SessionState,
} from "ackgate";
import { fakeRunner } from "ackgate/testing";

const CALL = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };
const YES = { sessionId: "s1", confirmationId: "c1", approved: true } as const;
const POLICY: PolicyDocument = {
  version: 1,
  deny: [{ tool: "delete_note", content: "keep*", kind: "text" }],
  tools: { delete_note: { subjects: { id: "text" } } },
};

/** Timers that keep no process alive: a gate that died does not go on. */
const idle = {
  now: () => Date.now(),
  setTimeout(run: () => void, ms: number) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

function bench(options: object = {}) {
  const ran: object[] = [];
  const audit: AuditRecord[] = [];
  const gate = createGate({
    state: memoryState(),
    grants: memoryGrants(),
    user: "u1",
    tools: { delete_note: (args: object) => `deleted ${ran.push(args)}` },
    policy: POLICY,
    defaultTier: "confirm",
    leaseMs: 1000,
    logger: { warn() {}, error() {} },
    onAudit: (record: AuditRecord) => audit.push(record),
    ...options,
  } as GateOptions) as unknown as Gate;
  return { gate, ran, audit };
}

async function asked(gate: Gate) {
  for (;;) {
    const [item] = await gate.pending("s1");
    if (item) return item;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => (AckError.is(error) ? error.code : String(error)),
  );
const decide = (gate: Gate, extra: object): Promise<string> => codeOf(gate.decide({ ...YES, ...extra } as Decision));

test("edited arguments run, the proposed ones are kept beside them", async () => {
  for (const editedArguments of ['{"id":"n3"}', { id: "n3" }]) {
    const { gate, ran, audit } = bench();
    const running = gate.execute(CALL);
    const item = await asked(gate);
    assert.equal(item.editable, true);
    assert.equal((await gate.decide({ ...YES, editedArguments })).path, "live");
    assert.equal((await running).denied, false);
    assert.deepEqual(ran, [{ id: "n3" }]);
    const [record] = audit;
    assert.equal(record?.digest, item.argumentsDigest);
    assert.match(record?.effectiveDigest ?? "", /^[0-9a-f]{64}$/);
    assert.notEqual(record?.effectiveDigest, record?.digest);
  }
});

test("an empty object is an edit; the same arguments in other words are none", async () => {
  for (const [editedArguments, expected] of [
    ["{}", {}],
    ['{ "id": "n2" }', { id: "n2" }],
  ] as const) {
    const { gate, ran, audit } = bench();
    const running = gate.execute(CALL);
    await asked(gate);
    await gate.decide({ ...YES, editedArguments });
    await running;
    assert.deepEqual(ran, [expected]);
    assert.equal(audit[0]?.effectiveDigest === undefined, editedArguments !== "{}");
  }
});

const refused: [string, object, string][] = [
  ["covered by a deny rule", { editedArguments: { id: "keep-1" } }, "forbidden"],
  ["no JSON", { editedArguments: '{"id":' }, "bad_request"],
  ["a list", { editedArguments: "[]" }, "bad_request"],
  ["a key twice", { editedArguments: '{"id":"a","id":"b"}' }, "bad_request"],
  ["a number that no double has", { editedArguments: '{"id":9007199254740993}' }, "bad_request"],
  ["over the limit", { editedArguments: { id: "x".repeat(2000) } }, "bad_request"],
  ["of a denial", { approved: false, editedArguments: {} }, "bad_request"],
];
for (const [name, extra, code] of refused) {
  test(`an edit that is ${name} is refused, nothing is consumed, the card stays`, async () => {
    const { gate, ran } = bench({ limits: { argumentsBytes: 1024 } });
    const running = gate.execute(CALL);
    await asked(gate);
    assert.equal(await decide(gate, extra), code);
    assert.equal((await asked(gate)).status, "pending");
    assert.deepEqual(ran, []);
    await gate.decide(YES);
    assert.equal((await running).denied, false);
  });
}

test("authorize offers edits to callers that can take them, and gives what may run", async () => {
  for (const canEdit of [true, false]) {
    const { gate } = bench();
    const waiting = gate.authorize(CALL, { canEdit });
    assert.equal((await asked(gate)).editable ?? false, canEdit);
    assert.equal(await decide(gate, { editedArguments: { id: "n3" } }), canEdit ? "done" : "bad_request");
    if (!canEdit) await gate.decide(YES);
    const permission = await waiting;
    assert.deepEqual(permission.disposition === "allow" && permission.input, { id: canEdit ? "n3" : "n2" });
  }
});

test("a decision names the call that was shown; another one is a conflict", async () => {
  const { gate } = bench();
  const running = gate.execute(CALL);
  const { argumentsDigest } = await asked(gate);
  assert.equal(await decide(gate, { expectedDigest: "0".repeat(64) }), "conflict");
  assert.equal(await decide(gate, { approved: false, expectedDigest: "0".repeat(64) }), "conflict");
  assert.equal(await decide(gate, { expectedDigest: argumentsDigest }), "done");
  assert.equal((await running).denied, false);
});

test("with `requireDigest` an approval without one is refused, a denial is not", async () => {
  const { gate } = bench({ requireDigest: true });
  const running = gate.execute(CALL);
  await asked(gate);
  assert.equal(await decide(gate, {}), "bad_request");
  assert.equal(await decide(gate, { approved: false }), "done");
  assert.equal((await running).denied, true);
});

test("the grant that was chosen is saved, with its limits; one that was not offered is refused", async () => {
  const saved: Grant[] = [];
  const grants = { lookup: () => [], save: (grant: Grant) => void saved.push(grant), consume: async () => true };
  const { gate } = bench({ grants });
  const running = gate.execute(CALL);
  const { suggestions = [] } = await asked(gate);
  const chosen = suggestions.at(-1);
  assert.ok(chosen);
  const { content, argumentsDigest } = chosen;
  for (const grant of [{ content: "*" }, { content: `${content}x` }, { content, argumentsDigest: "0".repeat(64) }])
    assert.equal(await decide(gate, { remember: "session", grant }), "bad_request");
  const limits = { expiresAt: 9_999_999_999_999, usesLeft: 2 };
  assert.equal(await decide(gate, { remember: "global", grant: { content, argumentsDigest, ...limits } }), "done");
  await running;
  assert.equal(saved.length, 1);
  const { sessionId, content: kept, expiresAt, usesLeft } = saved[0] as Grant;
  assert.deepEqual([sessionId, kept ?? "", expiresAt, usesLeft], ["", content, limits.expiresAt, limits.usesLeft]);
});

test("with an edit exactly the edited call is remembered", async () => {
  const { gate, ran } = bench();
  const running = gate.execute(CALL);
  await asked(gate);
  await gate.decide({ ...YES, editedArguments: { id: "n3" }, remember: "session" });
  await running;
  await gate.execute({ ...CALL, toolCallId: "c2", arguments: '{"id":"n3"}' });
  assert.deepEqual(ran, [{ id: "n3" }, { id: "n3" }]);
  const third = await gate.request({ ...CALL, toolCallId: "c3", arguments: '{"id":"n2"}' });
  assert.equal(third.disposition, "confirm");
});

test("an idempotent tool whose instance died is run again, another one is not", async () => {
  for (const [idempotent, expected] of [
    [true, [{ id: "n2" }]],
    [false, []],
  ] as const) {
    const memory = memoryState();
    let old = 0;
    // The store's clock: what was written before a death is as old as the test says.
    const state: SessionState = {
      ...memory,
      exclusive: false,
      read: async (...args) => {
        const found = await memory.read(...args);
        return found && { ...found, ageMs: found.ageMs + old };
      },
      list: async (...args) => (await memory.list(...args)).map((each) => ({ ...each, ageMs: each.ageMs + old })),
    };
    let dead = false;
    const buried: SessionState = {
      ...state,
      write: (...args) => (dead ? new Promise(() => {}) : state.write(...args)),
    };
    const stuck = { idempotent, run: () => new Promise(() => {}) };
    const first = bench({ state: buried, tools: { delete_note: stuck }, clock: idle });
    void first.gate.execute(CALL).catch(() => undefined);
    await asked(first.gate);
    void first.gate.decide(YES).catch(() => undefined);
    while (!(await state.read({ app: "ack", user: "u1", session: "s1" }, "c:c1"))?.record.includes('"executing"'))
      await new Promise((resolve) => setImmediate(resolve));
    dead = true;
    old = 5_000;
    const ran: object[] = [];
    const tool = { idempotent, run: (args: object, { fence }: { fence: number }) => ran.push(args) && fence };
    const second = bench({ state, tools: { delete_note: tool } });
    second.gate.resumeWith(fakeRunner());
    assert.equal(await second.gate.sweep(), 1);
    assert.deepEqual(ran, expected);
    assert.equal(second.audit[0]?.execution, idempotent ? "ran" : "unknown");
  }
});
