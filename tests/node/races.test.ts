// Races and stops: of all who act on one approval one does, and nothing begins for a run or a gate that has ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AckError,
  type CallOptions,
  createGate,
  type Gate,
  type GateOptions,
  memoryGrants,
  memoryState,
  type SessionState,
} from "ackgate";
import { type FakeRunner, fakeRunner } from "ackgate/testing";

const CALL = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };
const YES = { sessionId: "s1", confirmationId: "c1", approved: true } as const;
const withCode = (code: string) => (error: unknown) => AckError.is(error) && error.code === code;

function bench(options: object = {}) {
  const ran: string[] = [];
  const events: string[] = [];
  const gate = createGate({
    state: memoryState(),
    user: "u1",
    tools: { delete_note: () => `ran ${ran.push("delete")}` },
    defaultTier: "confirm",
    leaseMs: 1000,
    logger: { warn() {}, error() {} },
    onPermission: ({ basis, allowed }: { basis: string; allowed: boolean }) => events.push(`${basis} ${allowed}`),
    ...options,
  } as GateOptions) as unknown as Gate;
  return { gate, ran, events };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
const isOpen = (gate: Gate) => until(async () => (await gate.pending("s1")).length > 0);

function gated() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

test("one approval, two callers of authorize: one gets it", async () => {
  const state = memoryState();
  const [a, b] = [bench({ state }), bench({ state })];
  for (const gates of [
    [a.gate, a.gate],
    [a.gate, b.gate],
  ]) {
    const toolCallId = `c${gates.indexOf(b.gate)}`;
    await a.gate.request({ ...CALL, toolCallId });
    await a.gate.decide({ ...YES, confirmationId: toolCallId });
    const answers = await Promise.all(gates.map((gate) => gate.authorize({ ...CALL, toolCallId })));
    assert.deepEqual(answers.map(({ disposition }) => disposition).sort(), ["allow", "deny"]);
  }
});

test("authorize and execute pick up one approval: it is used once", async () => {
  const { gate, ran } = bench();
  await gate.request(CALL);
  await gate.decide(YES);
  const [authorized, executed] = await Promise.all([gate.authorize(CALL), gate.execute(CALL)]);
  const used = Number(authorized.disposition === "allow") + Number(!executed.denied);
  assert.equal(used, 1);
  assert.equal(ran.length, executed.denied ? 0 : 1);
});

test("an approval taken over by another gate is not the first one's any more", async () => {
  const state = memoryState();
  const [slow, fast] = [bench({ state, leaseMs: 40 }), bench({ state, leaseMs: 40 })];
  // A process that does not renew: its renewals never reach the store.
  const stuck: SessionState = { ...state, write: (...args) => (stall ? new Promise(() => {}) : state.write(...args)) };
  let stall = false;
  const first = bench({ state: stuck, leaseMs: 40, storeTimeoutMs: 20 });
  const waiting = first.gate.execute(CALL);
  waiting.catch(() => {});
  await isOpen(slow.gate);
  stall = true;
  await until(async () => (await fast.gate.pending("s1"))[0]?.live === false);
  const taken = fast.gate.execute(CALL);
  await until(async () => (await fast.gate.pending("s1"))[0]?.live === true);
  await fast.gate.decide(YES);
  assert.equal((await taken).denied, false);
  await assert.rejects(waiting, withCode("taken_over"));
  assert.deepEqual([first.ran.length, fast.ran.length], [0, 1]);
});

/** A source that is asked twice about a call: the second time, after the person's yes, it waits to be let through. */
function slowAgain() {
  const gate = gated();
  let judged = 0;
  const slow = async () => {
    if (++judged === 2) await gate.passed;
    return "abstain";
  };
  return { sources: { slow }, open: gate.open, reached: () => judged === 2 };
}

test("a stop between the answer and the claim stops the tool, and nothing is remembered", async () => {
  const again = slowAgain();
  const saved: unknown[] = [];
  const { gate, ran } = bench({
    grants: { lookup: () => undefined, save: (grant: unknown) => saved.push(grant) },
    sources: again.sources,
  });
  const stop = new AbortController();
  const call = gate.execute(CALL, { signal: stop.signal });
  await isOpen(gate);
  const decided = gate.decide({ ...YES, remember: "session" });
  await until(again.reached);
  stop.abort();
  again.open();
  const result = await call;
  assert.ok(result.denied);
  assert.match(result.denial.reason, /stopped/);
  assert.equal((await decided).status, "canceled");
  assert.deepEqual([ran, saved], [[], []]);
});

test("a stopped run does not begin a call that nobody had to confirm", async () => {
  const { gate, ran, events } = bench({ defaultTier: "allow" });
  const result = await gate.execute(CALL, { signal: AbortSignal.abort() });
  assert.ok(result.denied);
  assert.deepEqual([ran, events], [[], ["canceled false"]]);
});

test("a run that timed out just after the answer ends, and so does its question", async () => {
  const again = slowAgain();
  const { gate, ran } = bench({
    sources: again.sources,
  });
  const stop = new AbortController();
  const call = gate.execute(CALL, { signal: stop.signal });
  await isOpen(gate);
  const decided = gate.decide(YES);
  await until(again.reached);
  stop.abort(new DOMException("late", "TimeoutError"));
  again.open();
  assert.equal((await call).denied, true);
  await decided;
  assert.deepEqual([ran, await gate.pending("s1")], [[], []]);
});

test("a stopped call that would pick up an answer leaves it to others", async () => {
  const { gate, ran } = bench();
  await gate.request(CALL);
  await gate.decide(YES);
  assert.equal((await gate.execute(CALL, { signal: AbortSignal.abort() })).denied, true);
  assert.equal((await gate.execute(CALL)).denied, false);
  assert.equal(ran.length, 1);
});

test("a stop while the store fails still ends the call, with its one event", async () => {
  const state = memoryState();
  let broken = false;
  const fail =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    (...args: A) =>
      broken ? Promise.reject(new Error("down")) : work(...args);
  const { gate, events, ran } = bench({
    state: { ...state, read: fail(state.read), write: fail(state.write), list: fail(state.list) },
  });
  const stop = new AbortController();
  const call = gate.execute(CALL, { signal: stop.signal });
  await isOpen(gate);
  broken = true;
  stop.abort();
  assert.equal((await call).denied, true);
  assert.deepEqual(events, ["canceled false"]);
  broken = false;
  await until(async () => (await gate.pending("s1")).length === 0);
  await assert.rejects(gate.decide(YES), withCode("already_settled"));
  assert.deepEqual([ran, events], [[], ["canceled false"]]);
});

test("nothing begins on a gate that was closed meanwhile", async () => {
  for (const defaultTier of ["allow", "confirm"]) {
    const judging = gated();
    const { gate, ran } = bench({
      defaultTier,
      sources: {
        slow: async () => {
          await judging.passed;
          return "abstain";
        },
      },
    });
    const call = gate.execute(CALL);
    call.catch(() => {});
    await gate.close();
    judging.open();
    await assert.rejects(call, withCode("closed"));
    await assert.rejects(gate.decide(YES), withCode("closed"));
    await assert.rejects(gate.pending("s1"), withCode("closed"));
    await assert.rejects(gate.evaluate(CALL), withCode("closed"));
    assert.deepEqual(ran, []);
  }
});

/** The tool messages that runs were resumed with. */
const told = ({ runs }: FakeRunner) => runs.flatMap(({ input }) => input.messages.map(({ content }) => content));

/** A gate whose question is an orphan: the one that asked was closed. */
async function orphan(options: object = {}) {
  const state = memoryState();
  const first = bench({ state });
  first.gate.execute(CALL, { runId: "r1" }).catch(() => {});
  await isOpen(first.gate);
  await first.gate.close();
  const second = bench({ state, ...options });
  return { ...second, state, runner: fakeRunner() };
}

test("an orphan is carried out once and its run is resumed once, however many decide and read", async () => {
  const { gate, ran, runner } = await orphan();
  gate.resumeWith(runner);
  const answers = await Promise.all([gate.decide(YES), gate.decide(YES), gate.pending("s1"), gate.decide(YES)]);
  assert.deepEqual((answers[0] as { path: string }).path, "recovery");
  assert.deepEqual([ran.length, runner.runs.length], [1, 1]);
  assert.deepEqual(told(runner), ['"ran 1"']);
  assert.deepEqual(await gate.decide(YES), { path: "recovery", status: "approved", replayed: true });
  assert.deepEqual([ran.length, runner.runs.length], [1, 1]);
});

test("a recovered tool that takes longer than the lease is not taken for lost", async () => {
  const working = gated();
  let reads = 0;
  const { gate, runner, state } = await orphan({
    leaseMs: 30,
    tools: {
      delete_note: async () => {
        await working.passed;
        return "done";
      },
    },
  });
  gate.resumeWith(runner);
  const decided = gate.decide(YES);
  // Renewed again and again, each time after a third of the lease: several leases go by, and the page polls all the time.
  const versions = new Set<string | undefined>();
  await until(async () => {
    reads += (await gate.pending("s1")).length;
    versions.add((await state.read({ app: "ack", user: "u1", session: "s1" }, "c:c1"))?.version);
    return versions.size > 12;
  });
  assert.ok(reads > 0);
  assert.equal(runner.runs.length, 0);
  working.open();
  assert.deepEqual(await decided, { path: "recovery", status: "approved" });
  assert.deepEqual(told(runner), ['"done"']);
});

test("a process that could not renew is still alive to itself", async () => {
  const { gate, ran } = bench({ leaseMs: 20 });
  const call = gate.execute(CALL);
  await isOpen(gate);
  const end = performance.now() + 60;
  while (performance.now() < end);
  assert.equal((await gate.pending("s1"))[0]?.live, true);
  assert.deepEqual(await gate.decide(YES), { path: "live", status: "approved" });
  assert.equal((await call).denied, false);
  assert.equal(ran.length, 1);
});

test("a runner that ends without having started keeps the result for another try", async () => {
  const { gate, ran, runner } = await orphan();
  gate.resumeWith(fakeRunner("fails"));
  await assert.rejects(gate.decide(YES), withCode("run_active"));
  assert.equal((await gate.pending("s1"))[0]?.status, "approved");
  gate.resumeWith(runner);
  await gate.decide(YES);
  assert.deepEqual([ran.length, runner.runs.length], [1, 1]);
  assert.deepEqual(await gate.pending("s1"), []);
});

test("an unrelated open question does not hold up a resumption without a run's id", async () => {
  const state = memoryState();
  const first = bench({ state });
  for (const toolCallId of ["c1", "c2"]) first.gate.execute({ ...CALL, toolCallId }).catch(() => {});
  await until(async () => (await first.gate.pending("s1")).length === 2);
  await first.gate.close();
  const second = bench({ state });
  const runner = fakeRunner();
  second.gate.resumeWith(runner);
  await second.gate.decide(YES);
  assert.equal(runner.runs.length, 1);
});

test("siblings of one run are resumed together, when none is open any more", async () => {
  const state = memoryState();
  const first = bench({ state });
  for (const toolCallId of ["c1", "c2"]) first.gate.execute({ ...CALL, toolCallId }, { runId: "r1" }).catch(() => {});
  await until(async () => (await first.gate.pending("s1")).length === 2);
  await first.gate.close();
  const second = bench({ state });
  const runner = fakeRunner();
  second.gate.resumeWith(runner);
  await second.gate.decide(YES);
  assert.equal(runner.runs.length, 0);
  await second.gate.decide({ ...YES, confirmationId: "c2" });
  assert.deepEqual([runner.runs.length, told(runner).length], [1, 2]);
});

test("a tool that is gone: the model is told, the run goes on", async () => {
  const { gate, runner } = await orphan({ tools: { other: () => 1 } });
  gate.resumeWith(runner);
  await gate.decide(YES);
  assert.match(told(runner)[0] ?? "", /could not be run: there is no tool of this name/);
});

test("a tool that throws in a recovery: the model is told, the run goes on", async () => {
  const { gate, runner } = await orphan({ tools: { delete_note: () => Promise.reject(new Error("locked")) } });
  gate.resumeWith(runner);
  await gate.decide(YES);
  assert.match(told(runner)[0] ?? "", /could not be run: locked/);
});

test("an orphan that is denied: it never ran, the model reads that the person declined", async () => {
  const { gate, ran, runner } = await orphan();
  gate.resumeWith(runner);
  assert.deepEqual(await gate.decide({ ...YES, approved: false } as never), { path: "recovery", status: "denied" });
  assert.match(told(runner)[0] ?? "", /declined/);
  assert.deepEqual(ran, []);
});

test("a store whose subscription hangs or fails is polled", async () => {
  for (const subscribe of [
    () => new Promise<() => void>(() => {}),
    () => Promise.reject(new Error("no connection left")),
    () => {
      throw new Error("broken");
    },
  ]) {
    const state = { ...memoryState(), subscribe } as SessionState;
    const [asking, deciding] = [bench({ state, pollMs: 20 }), bench({ state, pollMs: 20 })];
    const call = asking.gate.execute(CALL);
    await isOpen(deciding.gate);
    assert.equal((await deciding.gate.decide(YES)).path, "live");
    assert.equal((await call).denied, false);
    const stop = new AbortController();
    const stopped = asking.gate.execute({ ...CALL, toolCallId: "c2" }, { signal: stop.signal } as CallOptions);
    await isOpen(deciding.gate);
    stop.abort();
    assert.equal((await stopped).denied, true);
  }
});

test("an emit that hangs holds up nothing", async () => {
  const { gate } = bench();
  const call = gate.execute(CALL, { emit: () => new Promise(() => {}) });
  await isOpen(gate);
  await gate.decide(YES);
  assert.equal((await call).denied, false);
});

test("a repeat never passes without the person, although a grant or a source would let it by now", async () => {
  const remembering = bench({ grants: memoryGrants() });
  const first = remembering.gate.execute(CALL, { runId: "r1" });
  await isOpen(remembering.gate);
  await remembering.gate.decide({ ...YES, remember: "session" });
  assert.equal((await first).denied, false);
  assert.equal((await remembering.gate.execute(CALL, { runId: "r1" })).denied, false);
  assert.deepEqual([remembering.ran.length, remembering.events], [1, ["duplicate true"]]);

  let endorsed = false;
  const endorsing = bench({ sources: { office: async () => (endorsed ? "allow" : "abstain") } });
  const asked = endorsing.gate.execute(CALL, { runId: "r1" });
  await isOpen(endorsing.gate);
  endorsed = true;
  const repeat = endorsing.gate.execute(CALL, { runId: "r1" });
  await endorsing.gate.decide(YES);
  await Promise.all([asked, repeat]);
  assert.equal(endorsing.ran.length, 1);
});

test("a server's tool has its own tier, and runs no other tool of its name", async () => {
  const ran: string[] = [];
  const tools = { "srv/del": () => ran.push("server"), del: () => ran.push("local") };
  const { gate } = bench({ tools, tiers: { "srv/del": "deny" }, defaultTier: "allow" });
  assert.equal((await gate.execute({ ...CALL, server: "srv", toolName: "del" })).denied, true);
  assert.equal((await gate.execute({ ...CALL, toolName: "srv/del" })).denied, true);
  assert.equal((await gate.execute({ ...CALL, server: "other", toolName: "del" })).denied, true);
  assert.deepEqual(ran, []);
  assert.equal((await gate.execute({ ...CALL, toolName: "del" })).denied, false);
  assert.deepEqual(ran, ["local"]);
});

test("a server's tool that is called as a function is judged as the server's", async () => {
  const tools = { "srv/del": () => assert.fail("it ran") };
  for (const given of [tools, () => tools]) {
    const policy = { version: 1, deny: ["mcp__srv__del"], defaultTier: "allow" };
    const { gate } = bench({ tools: given, defaultTier: "allow", policy });
    const functions = gate.tools as unknown as Record<string, (args: object, call: object) => Promise<unknown>>;
    const result = await functions["srv/del"]?.({}, { toolCallId: "c1", sessionId: "s1" });
    assert.equal((result as { status?: string }).status, "denied");
  }
  const { gate } = bench({ defaultTier: "allow", policy: { version: 1, deny: ["mcp__srv__del"] } });
  const guarded = gate.guard("srv/del", () => assert.fail("it ran"));
  assert.equal(((await guarded({}, { toolCallId: "c1", sessionId: "s1" })) as { status?: string }).status, "denied");
});

test("a decision that does not fit is refused, and nothing is consumed", async () => {
  const { gate, ran } = bench();
  const call = gate.execute(CALL);
  await isOpen(gate);
  for (const extra of [{ editedArguments: "[]" }, { editedArguments: 7 }, { grant: {} }, { aproved: true }]) {
    await assert.rejects(gate.decide({ ...YES, ...extra } as never), withCode("bad_request"));
  }
  assert.equal((await gate.pending("s1"))[0]?.status, "pending");
  await gate.decide(YES);
  await call;
  assert.equal(ran.length, 1);
});

test("text that is no Unicode is refused, never mended", async () => {
  const { gate, ran } = bench({ defaultTier: "allow" });
  for (const text of ['{"a":"\\\ud800"}', '{"a":"\ud83d"}', '{"a":"\\ud83d"}']) {
    const result = await gate.execute({ ...CALL, arguments: text });
    assert.ok(result.denied);
    assert.match(result.denial.reason, /did not run/);
  }
  assert.deepEqual(ran, []);
  const { gate: odd } = bench({
    defaultTier: "allow",
    sources: { risk: async () => ({ verdict: "confirm", reason: "\ud800" }) },
    tier: () => "\ud800",
  });
  assert.equal((await odd.evaluate(CALL)).disposition, "confirm");
});

test("an empty name is nobody: it can save no global grant", async () => {
  for (const user of ["", null]) {
    const { gate } = bench({ user: undefined, grants: memoryGrants() });
    const context = { user } as never;
    const call = gate.execute(CALL, { context });
    await until(async () => (await gate.pending("s1", { context })).length > 0);
    await assert.rejects(gate.decide({ ...YES, remember: "global" }, { context }), withCode("forbidden"));
    await gate.decide(YES, { context });
    await call;
  }
});

test("the run's scope reaches across awaits, into streams of every kind", async () => {
  const { gate } = bench({ defaultTier: "allow" });
  const { sessionId: _, ...call } = CALL;
  const run = async () => (await gate.execute(call)).denied;
  class Stream {
    #value = 1;
    async *[Symbol.asyncIterator]() {
      yield await run();
      yield this.#value;
    }
    value() {
      return this.#value;
    }
  }
  const scope = { sessionId: "s1" };
  const later = async () => {
    await Promise.resolve();
    return run();
  };
  assert.equal(await gate.run(scope, later), false);
  const generator = gate.run(scope, async function* () {
    yield await run();
  });
  for await (const denied of generator) assert.equal(denied, false);
  const promised = await gate.run(scope, async () =>
    (async function* () {
      yield await run();
    })(),
  );
  for await (const denied of promised) assert.equal(denied, false);
  const own = gate.run(scope, () => new Stream());
  const seen: unknown[] = [];
  for await (const each of own) seen.push(each);
  assert.deepEqual([seen, own.value()], [[false, 1], 1]);
  const observable = gate.run(scope, () =>
    Object.freeze({ subscribe: (observer: { next(value: Promise<boolean>): void }) => observer.next(run()) }),
  );
  await assert.doesNotReject(async () => observable.subscribe({ next: (value) => value.catch(() => {}) }));
});

/** A store that can be slow, hang or fail, by the name of the call. */
function moody() {
  const state = memoryState();
  const mood: Partial<Record<"read" | "write" | "list", () => Promise<unknown>>> = {};
  const moodyState = {
    ...state,
    read: async (...args: Parameters<SessionState["read"]>) => {
      await mood.read?.();
      return state.read(...args);
    },
    list: async (...args: Parameters<SessionState["list"]>) => {
      await mood.list?.();
      return state.list(...args);
    },
    write: async (...args: Parameters<SessionState["write"]>) => {
      await mood.write?.();
      return state.write(...args);
    },
  } as SessionState;
  return { state: moodyState, mood };
}
const hangs = () => new Promise<never>(() => {});

test("a stopped call whose question could not be ended in time is ended later, and runs for nobody", async () => {
  const { state, mood } = moody();
  const { gate, events, ran } = bench({ state, storeTimeoutMs: 20 });
  const statuses: string[] = [];
  const stop = new AbortController();
  const emit: CallOptions["emit"] = ({ value }) => void statuses.push(value.status);
  const call = gate.execute(CALL, { signal: stop.signal, emit });
  await isOpen(gate);
  mood.write = hangs;
  stop.abort();
  assert.equal((await call).denied, true);
  delete mood.write;
  await until(async () => (await gate.pending("s1")).length === 0);
  await assert.rejects(gate.decide(YES), withCode("already_settled"));
  assert.deepEqual([ran, events, statuses], [[], ["canceled false"], ["pending", "canceled"]]);
});

test("a repeat waits for its own question also when that has a fresh id", async () => {
  let endorsed = false;
  const { gate, ran } = bench({ sources: { office: async () => (endorsed ? "allow" : "abstain") } });
  const first = gate.execute({ ...CALL, arguments: '{"id":"n1"}' }, { runId: "r1" });
  await isOpen(gate);
  const second = gate.execute(CALL, { runId: "r1" });
  await until(async () => (await gate.pending("s1")).length === 2);
  endorsed = true;
  const repeat = gate.execute(CALL, { runId: "r1" });
  for (const { confirmationId } of await gate.pending("s1")) await gate.decide({ ...YES, confirmationId });
  await Promise.all([first, second, repeat]);
  assert.equal(ran.length, 2);
});

test("a question is nobody's orphan while it is being written", async () => {
  const state = memoryState();
  const written = gated();
  let slow = true;
  const acknowledgesLate: SessionState = {
    ...state,
    async write(...args) {
      const result = await state.write(...args);
      if (slow) await written.passed;
      return result;
    },
  };
  const { gate, ran } = bench({ state: acknowledgesLate });
  gate.resumeWith({ run: () => assert.fail("nothing is resumed") });
  const calls = [gate.execute(CALL, { runId: "r1" }), gate.execute(CALL, { runId: "r1" })];
  await until(async () => (await gate.pending("s1"))[0]?.live === true);
  slow = false;
  const decided = gate.decide(YES);
  written.open();
  assert.deepEqual(await decided, { path: "live", status: "approved" });
  for (const result of await Promise.all(calls)) assert.equal(result.denied, false);
  assert.equal(ran.length, 1);
});

test("a run that was stopped or a gate that was closed while records were read begins nothing", async () => {
  for (const end of ["stop", "close"] as const) {
    const { state, mood } = moody();
    const { gate, ran } = bench({ state, sources: { office: async () => "allow" } });
    const reading = gated();
    let asked = false;
    mood.list = () => {
      asked = true;
      return reading.passed;
    };
    const stop = new AbortController();
    const executed = gate.execute(CALL, { signal: stop.signal });
    const authorized = gate.authorize({ ...CALL, toolCallId: "c2" }, { signal: stop.signal });
    for (const call of [executed, authorized]) call.catch(() => {});
    await until(() => asked);
    if (end === "stop") stop.abort();
    else await gate.close();
    reading.open();
    if (end === "stop") {
      assert.equal((await executed).denied, true);
      assert.equal((await authorized).disposition, "deny");
    } else {
      await assert.rejects(executed, withCode("closed"));
      await assert.rejects(authorized, withCode("closed"));
    }
    assert.deepEqual(ran, []);
  }
});

test("an endorsed call whose records can't be read is refused, with its one event", async () => {
  const { state, mood } = moody();
  const { gate, ran, events } = bench({ state, sources: { office: async () => "allow" } });
  mood.list = () => Promise.reject(new Error("down"));
  assert.equal((await gate.execute(CALL)).denied, true);
  assert.deepEqual([ran, events], [[], ["persist-failed false"]]);
});

test("an approval is carried out by a gate that can ask nobody itself", async () => {
  const { gate, ran, runner } = await orphan({ interactive: false });
  gate.resumeWith(runner);
  assert.deepEqual(await gate.decide(YES), { path: "recovery", status: "approved" });
  assert.deepEqual([ran.length, runner.runs.length], [1, 1]);
});

test("a result that can't be stored at once is stored later, and meanwhile the loop is free", async () => {
  const { state, mood } = moody();
  const { gate, ran } = bench({
    state,
    storeTimeoutMs: 20,
    tools: {
      delete_note: () => {
        mood.write = hangs;
        return `ran ${ran.push("delete")}`;
      },
    },
  });
  const call = gate.execute(CALL, { runId: "r1" });
  await isOpen(gate);
  const decided = gate.decide(YES);
  await until(() => ran.length === 1);
  let turns = 0;
  await until(() => ++turns > 20);
  delete mood.write;
  assert.equal((await call).denied, false);
  assert.deepEqual(await decided, { path: "live", status: "approved" });
});

test("close frees a call that is being judged again, and ends one that is being judged", async () => {
  const state = memoryState();
  let judged = 0;
  const stuck = bench({
    state,
    leaseMs: 60_000,
    sources: { slow: async () => (++judged === 1 ? "abstain" : hangs()) },
  });
  const call = stuck.gate.execute(CALL);
  call.catch(() => {});
  await isOpen(stuck.gate);
  stuck.gate.decide(YES).catch(() => {});
  await until(() => judged === 2);
  const early = stuck.gate.execute({ ...CALL, toolCallId: "c2" });
  early.catch(() => {});
  await until(() => judged === 3);
  await stuck.gate.close();
  for (const each of [call, early]) await assert.rejects(each, withCode("closed"));
  const next = bench({ state, leaseMs: 60_000 });
  assert.equal((await next.gate.pending("s1"))[0]?.live, false);
  assert.equal((await next.gate.execute(CALL)).denied, false);
});

test("a grant source that hangs while saving holds up nothing for ever", async () => {
  const { gate } = bench({ sourceTimeoutMs: 20, grants: { lookup: () => undefined, save: hangs } });
  const call = gate.execute(CALL);
  await isOpen(gate);
  await gate.decide({ ...YES, remember: "session" });
  assert.equal((await call).denied, false);
});

test("close frees a resumption whose runner never starts", async () => {
  const { gate, state, ran } = await orphan({ leaseMs: 60_000 });
  const stuck = fakeRunner("hangs");
  gate.resumeWith(stuck);
  const decided = gate.decide(YES);
  decided.catch(() => {});
  await until(() => stuck.runs.length > 0);
  const closing = gate.close();
  await assert.rejects(decided, withCode("closed"));
  await closing;
  const next = bench({ state, leaseMs: 60_000 });
  const runner = fakeRunner();
  next.gate.resumeWith(runner);
  await next.gate.decide(YES);
  assert.deepEqual([ran.length, next.ran.length, runner.runs.length], [1, 0, 1]);
});

test("a run is not resumed twice because that could not be noted at once", async () => {
  const { state, mood } = moody();
  const first = bench({ state });
  first.gate.execute(CALL, { runId: "r1" }).catch(() => {});
  await isOpen(first.gate);
  await first.gate.close();
  const second = bench({ state, leaseMs: 30 });
  let runs = 0;
  second.gate.resumeWith({
    run: async function* () {
      runs++;
      yield { type: "RUN_STARTED" };
      let failures = 2;
      mood.write = async () => {
        if (failures-- > 0) throw new Error("blip");
      };
    },
  } as never);
  assert.equal((await second.gate.decide(YES)).path, "recovery");
  await until(async () => (await second.gate.pending("s1")).length === 0);
  assert.equal(runs, 1);
});

test("a tool-call id that sounds like the gate's own names holds up nothing", async () => {
  const state = memoryState();
  const first = bench({ state });
  for (const toolCallId of ["c1", "r:c1", "resume c1", "o:c1"]) {
    first.gate.execute({ ...CALL, toolCallId }).catch(() => {});
  }
  await until(async () => (await first.gate.pending("s1")).length === 4);
  await first.gate.close();
  const second = bench({ state });
  const waiting = ["r:c1", "resume c1", "o:c1"].map((toolCallId) => second.gate.execute({ ...CALL, toolCallId }));
  for (const call of waiting) call.catch(() => {});
  await until(async () => (await second.gate.pending("s1")).filter(({ live }) => live).length === 3);
  const runner = fakeRunner();
  second.gate.resumeWith(runner);
  await second.gate.decide(YES);
  assert.equal(runner.runs.length, 1);
  await second.gate.close();
});

test("a source that stops its own run is not waited for", async () => {
  const stop = new AbortController();
  const { gate } = bench({
    sources: {
      brake: () => {
        stop.abort();
        return hangs();
      },
    },
  });
  assert.equal((await gate.execute(CALL, { signal: stop.signal })).denied, true);
});
