// A confirmation from request to end, at the gate itself: each row of the table of the live path, duplicates, close.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AckError,
  type CallOptions,
  createGate,
  type DecideResult,
  type Executed,
  type GateOptions,
  isDenial,
  memoryGrants,
  memoryState,
  type PermissionEvent,
} from "ackgate";

const SESSION = "s1";
const quiet = { warn() {}, error() {} };

/** A gate with one tool that is asked about, and everything it does written down. */
function bench(options: Partial<GateOptions> = {}) {
  const ran: string[] = [];
  const events: PermissionEvent[] = [];
  const statuses: string[] = [];
  const decisions: DecideResult[] = [];
  const gate = createGate({
    state: memoryState(),
    grants: memoryGrants(),
    user: "u1",
    tools: { delete_note: (args: object) => `deleted ${ran.push(JSON.stringify(args))}` },
    defaultTier: "confirm",
    logger: quiet,
    leaseMs: 1000,
    onPermission: (event: PermissionEvent) => events.push(event),
    ...(options as object),
  });
  return {
    gate,
    ran,
    events,
    statuses,
    decisions,
    call: (given: Partial<CallOptions> & { toolCallId?: string; arguments?: string } = {}): Promise<Executed> => {
      const { toolCallId = "c1", arguments: text = '{"id":"n2"}', ...rest } = given;
      return gate.execute(
        { sessionId: SESSION, toolCallId, toolName: "delete_note", arguments: text },
        { emit: (event) => void statuses.push(event.value.status), ...rest },
      );
    },
    async decide(approved: boolean, confirmationId = "c1") {
      const result = await gate.decide({ sessionId: SESSION, confirmationId, approved } as never);
      if (result.replayed !== true) decisions.push(result);
      return result;
    },
    async open(count = 1) {
      while ((await gate.pending(SESSION)).length < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
type Bench = ReturnType<typeof bench>;

/** Exactly one terminal: an event or a decision; exactly one settled event for the pending one. */
function checkTerminals({ events, decisions, statuses }: Bench, status: string | undefined): void {
  assert.equal(events.length + decisions.length, 1, `events ${events.length}, decisions ${decisions.length}`);
  assert.deepEqual(statuses, status === undefined ? [] : ["pending", status]);
}

function reasonOf(result: Executed): string {
  assert.ok(result.denied && isDenial(result.denial));
  assert.deepEqual(JSON.parse(result.content), { ...result.denial });
  return result.denial.reason;
}

test("a person says yes", async () => {
  const b = bench();
  const call = b.call();
  await b.open();
  assert.deepEqual(await b.decide(true), { path: "live", status: "approved" });
  assert.deepEqual(await call, { denied: false, content: '"deleted 1"', result: "deleted 1" });
  checkTerminals(b, "approved");
});

test("a person says no", async () => {
  const b = bench();
  const call = b.call();
  await b.open();
  assert.deepEqual(await b.decide(false), { path: "live", status: "denied" });
  assert.match(reasonOf(await call), /declined/);
  assert.deepEqual(b.ran, []);
  checkTerminals(b, "denied");
});

test("the run is stopped", async () => {
  const b = bench();
  const stop = new AbortController();
  const call = b.call({ signal: stop.signal });
  await b.open();
  stop.abort();
  assert.match(reasonOf(await call), /stopped/);
  assert.equal(b.events[0]?.basis, "canceled");
  checkTerminals(b, "canceled");
  await assert.rejects(b.decide(true), (error) => AckError.is(error) && error.code === "already_settled");
});

test("nobody answers before the deadline", async () => {
  const b = bench({ timeoutMs: 30 });
  assert.match(reasonOf(await b.call()), /in time/);
  assert.equal(b.events[0]?.basis, "expired");
  checkTerminals(b, "expired");
});

test("the run itself times out", async () => {
  const b = bench();
  const call = b.call({ signal: AbortSignal.timeout(30) });
  assert.match(reasonOf(await call), /in time/);
  assert.equal(b.events[0]?.basis, "expired");
  checkTerminals(b, "expired");
});

test("a newer message comes", async () => {
  const b = bench();
  const call = b.call();
  await b.open();
  assert.equal(await b.gate.supersede(SESSION), 1);
  assert.match(reasonOf(await call), /newer message/);
  assert.equal(b.events[0]?.basis, "superseded");
  checkTerminals(b, "superseded");
  assert.equal(await b.gate.supersede(SESSION), 0);
});

test("there is nobody to ask", async () => {
  const b = bench({ interactive: false });
  assert.match(reasonOf(await b.call()), /nobody can be asked/);
  assert.equal(b.events[0]?.basis, "no-human");
  checkTerminals(b, undefined);
  assert.deepEqual(await b.gate.pending(SESSION), []);
});

test("the question can't be stored", async () => {
  const state = memoryState();
  const b = bench({ state: { ...state, write: () => Promise.reject(new Error("disk full")) } });
  assert.match(reasonOf(await b.call()), /could not be recorded/);
  assert.equal(b.events[0]?.basis, "persist-failed");
  checkTerminals(b, undefined);
});

test("a record that can't be read is not overwritten", async () => {
  const state = memoryState();
  const key = { app: "ack", user: "u1", session: SESSION };
  await state.write(key, "c:c1", "{", undefined);
  const b = bench({ state });
  assert.match(reasonOf(await b.call()), /could not be recorded/);
  checkTerminals(b, undefined);
  assert.equal((await state.read(key, "c:c1"))?.record, "{");
  await assert.rejects(b.gate.pending(SESSION), (error) => AckError.is(error) && error.code === "state_corrupt");
});

test("too many questions are open", async () => {
  const b = bench({ limits: { open: 1 } });
  const first = b.call();
  await b.open();
  assert.match(reasonOf(await b.call({ toolCallId: "c2", arguments: "{}" })), /could not be recorded/);
  assert.equal(b.events[0]?.basis, "persist-failed");
  await b.decide(true);
  await first;
});

test("the policy says no after the person's yes", async () => {
  let closed = false;
  const grants = memoryGrants();
  const b = bench({ grants, sources: { office: async () => (closed ? "deny" : "abstain") } });
  const call = b.call();
  await b.open();
  closed = true;
  const answer = await b.gate.decide({ sessionId: SESSION, confirmationId: "c1", approved: true, remember: "session" });
  assert.deepEqual(answer, { path: "live", status: "denied" });
  b.decisions.push(answer);
  assert.match(reasonOf(await call), /not permitted/);
  assert.deepEqual(b.ran, []);
  checkTerminals(b, "denied");
  closed = false;
  const found = await grants.lookup(
    { app: "ack", userId: "u1", sessionId: SESSION, toolName: "delete_note", arguments: "{}" },
    {},
  );
  assert.deepEqual(found, []);
});

test("a failing source after the person's yes is satisfied by them", async () => {
  let broken = false;
  const b = bench({
    sources: {
      office: async () => {
        if (broken) throw new Error("down");
        return "abstain";
      },
    } as GateOptions["sources"],
  });
  const call = b.call();
  await b.open();
  broken = true;
  assert.equal((await b.decide(true)).status, "approved");
  assert.equal((await call).denied, false);
});

test("a tool that throws was executed: its error reaches the caller, the record says failed", async () => {
  const b = bench({ tools: { delete_note: () => Promise.reject(new Error("locked")) } });
  const call = b.call();
  call.catch(() => {});
  await b.open();
  assert.equal((await b.decide(true)).status, "approved");
  await assert.rejects(call, /locked/);
  checkTerminals(b, "approved");
});

test("the tool runs on what was shown, not on an object that changed since", async () => {
  const b = bench();
  const args = { id: "n2" };
  const guarded = b.gate.tools.delete_note as (args: object, call: object) => Promise<unknown>;
  const call = guarded(args, { toolCallId: "c1", sessionId: SESSION });
  await b.open();
  args.id = "n9";
  await b.decide(true);
  await call;
  assert.deepEqual(b.ran, ['{"id":"n2"}']);
});

test("the same call twice shows one card, runs once and shares the result", async () => {
  const b = bench();
  const calls = [b.call({ runId: "r1" }), b.call({ runId: "r1" })];
  await b.open();
  await b.decide(true);
  const results = await Promise.all(calls);
  assert.deepEqual(
    results.map((result) => result.content),
    ['"deleted 1"', '"deleted 1"'],
  );
  assert.equal(b.ran.length, 1);
  assert.deepEqual(b.statuses, ["pending", "approved"]);
  assert.deepEqual(
    b.events.map(({ basis, allowed }) => [basis, allowed]),
    [["duplicate", true]],
  );
  assert.equal(b.decisions.length, 1);
});

test("a repeat in the same run gets the stored result, without a person and without running", async () => {
  const b = bench();
  const first = b.call({ runId: "r1" });
  await b.open();
  await b.decide(true);
  await first;
  assert.equal((await b.call({ runId: "r1" })).content, '"deleted 1"');
  assert.equal(b.ran.length, 1);
  assert.deepEqual(
    b.events.map(({ basis }) => basis),
    ["duplicate"],
  );
});

test("the same id with other arguments, or in another run, is a new question with a fresh id", async () => {
  const b = bench();
  const first = b.call({ runId: "r1" });
  await b.open();
  const other = b.call({ runId: "r1", arguments: '{"id":"n3"}' });
  await b.open(2);
  const ids = (await b.gate.pending(SESSION)).map(({ confirmationId, toolCallId }) => [confirmationId, toolCallId]);
  assert.equal(new Set(ids.map(([id]) => id)).size, 2);
  assert.deepEqual(
    ids.map(([, call]) => call),
    ["c1", "c1"],
  );
  for (const [id] of ids) await b.decide(true, id);
  await Promise.all([first, other]);
  assert.equal(b.ran.length, 2);
  const again = b.call({ runId: "r2" });
  await b.open();
  await b.decide(false, (await b.gate.pending(SESSION))[0]?.confirmationId);
  assert.equal((await again).denied, true);
  assert.equal(b.ran.length, 2);
});

for (const duplicate of ["deny", "ask"] as const) {
  test(`a repeat with the option duplicate: ${duplicate}`, async () => {
    const b = bench({ duplicate });
    const first = b.call({ runId: "r1" });
    await b.open();
    const second = b.call({ runId: "r1" });
    if (duplicate === "deny") {
      assert.match(reasonOf(await second), /not run again/);
      assert.equal(b.events[0]?.basis, "duplicate");
    } else {
      await b.open(2);
      await b.decide(
        false,
        (await b.gate.pending(SESSION)).find((each) => each.confirmationId !== "c1")?.confirmationId,
      );
      assert.equal((await second).denied, true);
    }
    await b.decide(true);
    await first;
    assert.equal(b.ran.length, 1);
  });
}

test("a call that was refused in this run asks again and says so", async () => {
  const b = bench();
  const first = b.call({ runId: "r1" });
  await b.open();
  await b.decide(false);
  await first;
  const second = b.call({ runId: "r1", toolCallId: "c2" });
  await b.open();
  assert.equal((await b.gate.pending(SESSION))[0]?.refusedBefore, 1);
  await b.decide(false, "c2");
  await second;
});

test("authorize hands an approval over once; a repeat of it is refused", async () => {
  const b = bench();
  const call = { sessionId: SESSION, toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };
  const waiting = b.gate.authorize(call);
  await b.open();
  await b.decide(true);
  const permission = await waiting;
  assert.ok(permission.disposition === "allow" && permission.basis === "human");
  assert.deepEqual(permission.input, { id: "n2" });
  await permission.settle({ done: true });
  await assert.rejects(permission.settle("again"), (error) => AckError.is(error) && error.code === "conflict");
  const again = await b.gate.authorize(call);
  assert.ok(again.disposition === "deny" && again.basis === "duplicate");
  assert.match(reasonOf(await b.call()), /not run again/);
  assert.deepEqual(b.ran, []);
});

test("request opens and never waits; whoever asks next picks the answer up, once", async () => {
  const b = bench();
  const call = { sessionId: SESSION, toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };
  const opened = await b.gate.request(call);
  assert.ok(opened.disposition === "confirm");
  assert.equal(opened.request.status, "pending");
  assert.deepEqual(await b.decide(true), { path: "recovery", status: "approved" });
  const again = await b.gate.request(call);
  assert.ok(again.disposition === "confirm");
  assert.equal(again.request.status, "approved");
  assert.deepEqual(b.ran, []);
  assert.equal((await b.call()).denied, false);
  assert.equal(b.ran.length, 1);
  assert.equal(b.decisions.length, 1);
});

test("evaluate writes nothing and fires nothing", async () => {
  const b = bench();
  const call = { sessionId: SESSION, toolCallId: "c1", toolName: "delete_note", arguments: "" };
  const seen = await b.gate.evaluate(call);
  assert.ok(seen.disposition === "confirm" && !seen.forced);
  assert.deepEqual(await b.gate.pending(SESSION), []);
  assert.deepEqual(b.events, []);
});

test("close stops waiting and frees the question: the next gate takes over at once", async () => {
  const state = memoryState();
  const first = bench({ state, leaseMs: 60_000 });
  const call = first.call();
  call.catch(() => {});
  await first.open();
  await first.gate.close();
  await assert.rejects(call, (error) => AckError.is(error) && error.code === "closed");
  assert.deepEqual(first.events, []);
  await assert.rejects(first.call({ toolCallId: "c2" }), (error) => AckError.is(error) && error.code === "closed");
  const second = bench({ state, leaseMs: 60_000 });
  assert.equal((await second.gate.pending(SESSION))[0]?.live, false);
  const taken = second.call();
  while ((await second.gate.pending(SESSION))[0]?.live !== true) await new Promise((resolve) => setImmediate(resolve));
  await second.decide(true);
  assert.equal((await taken).denied, false);
});

test("an orphan without a runner is not consumed", async () => {
  const state = memoryState();
  const first = bench({ state });
  first.call().catch(() => {});
  await first.open();
  await first.gate.close();
  const second = bench({ state });
  await assert.rejects(second.decide(true), (error) => AckError.is(error) && error.code === "not_bound");
  assert.equal((await second.gate.pending(SESSION))[0]?.status, "pending");
});

test("an orphan on a session with an active run is not consumed", async () => {
  const state = memoryState();
  const first = bench({ state });
  first.call().catch(() => {});
  await first.open();
  await first.gate.close();
  const second = bench({ state, runActive: () => true });
  second.gate.resumeWith({ run: () => assert.fail("nothing is resumed") });
  await assert.rejects(second.decide(true), (error) => AckError.is(error) && error.code === "run_active");
  assert.equal((await second.gate.pending(SESSION))[0]?.status, "pending");
});

test("another person's session does not exist", async () => {
  const b = bench({ owner: () => "u1" });
  const call = b.call();
  await b.open();
  const stranger = { context: { user: "u2" } };
  assert.deepEqual(await b.gate.pending(SESSION, stranger), []);
  const answer = { sessionId: SESSION, confirmationId: "c1", approved: true } as const;
  await assert.rejects(b.gate.decide(answer, stranger), (error) => AckError.is(error) && error.code === "not_found");
  await assert.rejects(
    b.gate.supersede(SESSION, stranger),
    (error) => AckError.is(error) && error.code === "not_found",
  );
  await b.decide(true);
  await call;
});

test("a global grant needs somebody in particular", async () => {
  const nobody = bench({ user: undefined });
  const call = nobody.call();
  await nobody.open();
  const everywhere = { sessionId: SESSION, confirmationId: "c1", approved: true, remember: "global" } as const;
  await assert.rejects(nobody.gate.decide(everywhere), (error) => AckError.is(error) && error.code === "forbidden");
  await nobody.decide(true);
  await call;

  const somebody = bench();
  const first = somebody.call();
  await somebody.open();
  await somebody.gate.decide(everywhere);
  await first;
  const elsewhere = await somebody.gate.execute({
    sessionId: "s2",
    toolCallId: "c1",
    toolName: "delete_note",
    arguments: "{}",
  });
  assert.equal(elsewhere.denied, false);
  assert.equal(somebody.events[0]?.basis, "grant");
});
