// `onAudit`: one record for every call, automatic and human, at its end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuditRecord, type Gate, memoryState, type Payload } from "ackgate";
import { fakeClock, fakeRunner, testGate } from "ackgate/testing";

const CALL = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };

function bench(options: object = {}) {
  const gate = testGate({
    user: "u1",
    tools: {
      delete_note: () => "gone",
      read_note: () => "text",
      broken: () => {
        throw new Error("broken");
      },
    },
    tiers: { read_note: "allow" },
    defaultTier: "confirm",
    logger: { warn() {}, error() {} },
    ...options,
  });
  return { gate, audit: gate.recorded.audit };
}
const gist = ({ disposition, basis, source, execution }: AuditRecord): string =>
  [disposition, basis, source, execution].join(" ");

async function asked(gate: Pick<Gate, "pending">, session = "s1"): Promise<void> {
  while ((await gate.pending(session)).length === 0) await new Promise((resolve) => setImmediate(resolve));
}
const answer = async (gate: Pick<Gate, "pending" | "decide">, approved: boolean): Promise<unknown> => {
  await asked(gate);
  return gate.decide({ sessionId: "s1", confirmationId: "c1", approved });
};

const automatic: [string, object, object, string][] = [
  ["a tier that allows", {}, { toolName: "read_note" }, "allow tier  ran"],
  ["a tool that throws", { tiers: { broken: "allow" } }, { toolName: "broken" }, "allow tier  failed"],
  ["a tier that denies", { tiers: { delete_note: "deny" } }, {}, "deny tier  none"],
  ["a source that denies", { sources: { night: () => "deny" } }, {}, "deny verdict night none"],
  ["a source that allows", { sources: { day: () => "allow" } }, {}, "allow endorsement day ran"],
  ["nobody to ask", { interactive: false }, {}, "deny no-human  none"],
  ["arguments that are none", {}, { arguments: "[" }, "deny invalid-arguments  none"],
  ["a tool that is not there", {}, { toolName: "drop" }, "deny tier  none"],
];
for (const [name, options, call, expected] of automatic) {
  test(`${name} is audited once`, async () => {
    const { gate, audit } = bench(options);
    await gate.execute({ ...CALL, ...call }).catch(() => undefined);
    assert.deepEqual(audit.map(gist), [expected]);
  });
}

test("a record names call, digest, rule and time, never an argument's value", async () => {
  const { gate, audit } = bench({
    policy: {
      version: 1,
      deny: [{ tool: "delete_note", content: "n2", kind: "text" }],
      tools: { delete_note: { subjects: { id: "text" } } },
    },
    clock: fakeClock(7),
  });
  await gate.execute(CALL);
  const [record] = audit;
  assert.ok(record);
  assert.deepEqual(record.call, { sessionId: "s1", toolCallId: "c1", toolName: "delete_note" });
  assert.match(record.digest, /^[0-9a-f]{64}$/);
  assert.equal(record.at, 7);
  assert.match(record.rule ?? "", /^rule\.project\.deny$/);
  assert.ok(!JSON.stringify(record).includes("n2"));
});

test("a person's yes and no are audited by the write that settles them", async () => {
  for (const [approved, expected] of [
    [true, "allow human  ran"],
    [false, "deny human  none"],
  ] as const) {
    const { gate, audit } = bench({ answers: { delete_note: approved ? "approve" : "deny" } });
    assert.equal((await gate.execute(CALL)).denied, !approved);
    assert.deepEqual(audit.map(gist), [expected]);
    assert.equal(audit[0]?.decidedBy, "u1");
  }
});

test("an approval that the policy refuses by now says who refused, and the model which rule", async () => {
  const { gate, audit } = bench({ policy: { version: 1, ask: ["delete_note"] } });
  const running = gate.execute(CALL);
  await asked(gate);
  gate.setPolicy({ version: 1, deny: ["delete_note"] });
  await answer(gate, true);
  const ran = await running;
  assert.ok(ran.denied && ran.content.includes("delete_note"));
  assert.deepEqual(audit.map(gist), ["deny verdict rules none"]);
  assert.match(audit[0]?.rule ?? "", /^rule\.project\.deny$/);
});

test("an approval for a caller is the caller's", async () => {
  const { gate, audit } = bench({ answers: { delete_note: "approve" } });
  await gate.authorize(CALL);
  assert.deepEqual(audit.map(gist), ["allow human  caller"]);
});

test("what is carried out without its run is audited once, and a repeated decision adds nothing", async () => {
  const state = memoryState();
  const first = bench({ state });
  const waiting = first.gate.execute(CALL).catch(() => undefined);
  await asked(first.gate);
  await first.gate.close();
  await waiting;
  const second = bench({ state });
  second.gate.resumeWith(fakeRunner());
  await answer(second.gate, true);
  const again = await second.gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true });
  assert.equal(again.replayed, true);
  assert.deepEqual([...first.audit, ...second.audit].map(gist), ["allow human  ran"]);
});

test("canceled and superseded questions are audited as such, with their waiting calls' own record only once", async () => {
  for (const [end, expected] of [
    ["cancelSession", "deny canceled  none"],
    ["supersede", "deny superseded  none"],
  ] as const) {
    const { gate, audit } = bench();
    const running = gate.execute(CALL);
    await asked(gate);
    assert.equal(await gate[end]("s1"), 1);
    assert.ok((await running).denied);
    assert.deepEqual(audit.map(gist), [expected]);
  }
});

test("a call whose run is stopped is audited once", async () => {
  const { gate, audit } = bench();
  const stop = new AbortController();
  const running = gate.execute(CALL, { signal: stop.signal });
  await asked(gate);
  stop.abort();
  await running;
  assert.deepEqual(audit.map(gist), ["deny canceled  none"]);
});

test("a call that joins another one is audited as a duplicate", async () => {
  const { gate, audit } = bench({ answers: { delete_note: "approve" } });
  await Promise.all([gate.execute(CALL), gate.execute(CALL)]);
  assert.deepEqual(audit.map(gist).sort(), ["allow duplicate  none", "allow human  ran"]);
});

test("an observer that throws or rejects changes nothing", async () => {
  for (const onAudit of [
    () => {
      throw new Error("full");
    },
    async () => Promise.reject(new Error("full")),
  ]) {
    const { gate } = bench({ onAudit });
    assert.equal((await gate.execute({ ...CALL, toolName: "read_note" })).denied, false);
  }
});

test("a person who may not decide hears that it is not there; the session's user hears forbidden", async () => {
  const seen: Payload[] = [];
  const { gate } = bench({
    owner: () => "u1",
    mayDecide: (request: Payload, { user }: { user?: string }) => {
      seen.push(request);
      return user === "boss";
    },
  });
  await gate.request(CALL);
  const decision = { sessionId: "s1", confirmationId: "c1", approved: true } as const;
  const code = (user: string) =>
    gate.decide(decision, { context: { user } }).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    );
  assert.deepEqual(await Promise.all(["u1", "u2", "u3"].map(code)), ["forbidden", "not_found", "not_found"]);
  assert.deepEqual((await gate.pending("s1", { context: { user: "u2" } })).length, 0);
  assert.deepEqual((await gate.pending("s1", { context: { user: "boss" } })).length, 1);
  assert.equal(await code("boss"), "approved");
  assert.ok(seen.every(({ toolName }) => toolName === "delete_note"));
});

test("without `mayDecide` only the session's user decides, and a failing one admits nobody", async () => {
  const decision = { sessionId: "s1", confirmationId: "c1", approved: true } as const;
  const code = (error: { code: string }) => error.code;
  for (const mayDecide of [undefined, () => "yes", () => Promise.reject(new Error("down"))]) {
    const { gate } = bench({ owner: () => "u1", mayDecide });
    await gate.request(CALL);
    assert.equal(await gate.decide(decision, { context: { user: "u2" } }).catch(code), "not_found");
  }
});

test("a grant for every session is the session's own user's to save", async () => {
  const { gate } = bench({ owner: () => "u1", mayDecide: () => true, grants: { lookup: () => [], save() {} } });
  await gate.request(CALL);
  const decision = { sessionId: "s1", confirmationId: "c1", approved: true, remember: "global" } as const;
  const code = (error: { code: string }) => error.code;
  assert.equal(await gate.decide(decision, { context: { user: "u2" } }).catch(code), "forbidden");
  assert.equal((await gate.pending("s1", { context: { user: "u1" } }))[0]?.status, "pending");
});

test("the inbox lists every session's open confirmations that one may decide", async () => {
  const state = memoryState();
  const { gate } = bench({ state, mayDecide: (_: Payload, { user }: { user?: string }) => user === "boss" });
  for (const [sessionId, user] of [
    ["s1", "u1"],
    ["s2", "u2"],
    ["s3", "u2"],
  ] as const)
    await gate.request({ ...CALL, sessionId }, { context: { user } });
  await bench({ state, app: "other" }).gate.request(CALL);
  const listed = async (user: string, filter?: { user?: string; status?: "pending" | "approved" }) => {
    const sessions: string[] = [];
    for await (const { sessionId } of gate.inbox(filter, { context: { user } })) sessions.push(sessionId);
    return sessions.sort();
  };
  assert.deepEqual(await listed("boss"), ["s1", "s2", "s3"]);
  assert.deepEqual(await listed("boss", { user: "u2" }), ["s2", "s3"]);
  assert.deepEqual(await listed("boss", { status: "approved" }), []);
  assert.deepEqual(await listed("u1"), []);
});

test("a sweep carries on with what dead instances left, in every session, and ends what is overdue", async () => {
  const state = memoryState();
  const clock = fakeClock();
  const first = bench({ state, timeoutMs: 500, clock });
  for (const sessionId of ["s1", "s2"]) await first.gate.request({ ...CALL, sessionId });
  const second = bench({ state, clock });
  second.gate.resumeWith(fakeRunner());
  assert.equal(await second.gate.sweep(), 0);
  await clock.advance(500);
  await second.gate.sweep();
  assert.deepEqual(second.audit.map(gist), ["deny expired  none", "deny expired  none"]);
});
