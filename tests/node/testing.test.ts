// `ackgate/testing`: the helpers for tests of agents, by the laws that they promise.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, type Context, createGate, type GateOptions, memoryGrants, memoryState, type Payload } from "ackgate";
import { type Answer, fakeApprover, fakeClock, fakeRunner, type RunOutcome, recorder, testGate } from "ackgate/testing";

const call = (toolCallId: string, toolName = "delete_note") => ({
  sessionId: "s1",
  toolCallId,
  toolName,
  arguments: { id: toolCallId },
});
const quiet = { warn() {}, error() {} };

/** What its one tool did, beside the gate. */
function bench(options: object = {}) {
  const ran: string[] = [];
  const tools = { delete_note: ({ id }: { id: string }) => `deleted ${ran.push(id)}` };
  const gate = testGate({ tools, defaultTier: "confirm", logger: quiet, ...options });
  return { gate, ran };
}
const isBad = (text: RegExp) => (error: unknown) =>
  AckError.is(error) && error.code === "bad_options" && text.test(error.message);
/** Everything that can go on by itself has gone on. */
const idle = () => new Promise((resolve) => setImmediate(resolve));

// ------------------------------------------------------------------------------------------------- fakeClock

test("timers run at their time, in the order of time, then of registration", async () => {
  const clock = fakeClock(1_000);
  const seen: string[] = [];
  const at = (name: string, ms: number) => clock.setTimeout(() => seen.push(`${name} ${clock.now()}`), ms);
  at("c", 20);
  at("a", 10);
  at("b", 10);
  const off = at("never", 10);
  clock.setTimeout(() => void at("nested", 5), 12);
  at("later", 100);
  at("past", -5);
  off();
  assert.equal(clock.waiting, 6);
  await clock.advance(20);
  assert.deepEqual(seen, ["past 1000", "a 1010", "b 1010", "nested 1017", "c 1020"]);
  assert.deepEqual([clock.now(), clock.waiting], [1_020, 1]);
  await Promise.all([clock.advance(79), clock.advance(1)]);
  assert.deepEqual([seen.at(-1), clock.now(), clock.waiting], ["later 1100", 1_100, 0]);
});

test("what a timer starts goes on before the next one runs, and what was under way before the first", async () => {
  const clock = fakeClock();
  const seen: string[] = [];
  const work = async (name: string) => {
    for (let step = 0; step < 100; step++) await null;
    seen.push(name);
  };
  clock.setTimeout(() => void work("work"), 1);
  clock.setTimeout(() => void seen.push("next"), 2);
  void work("before").then(() => clock.setTimeout(() => seen.push("set late"), 1));
  await clock.advance(2);
  assert.deepEqual(seen, ["before", "work", "set late", "next"]);
});

test("a test runner's own fake timers do not stop it", async (t) => {
  t.mock.timers.enable();
  const clock = fakeClock();
  let ran = false;
  clock.setTimeout(() => {
    ran = true;
  }, 1);
  await clock.advance(1);
  assert.equal(ran, true);
});

test("a timer that throws fails its `advance`, later ones go on; a time that is none is refused", async () => {
  const clock = fakeClock();
  clock.setTimeout(() => assert.fail("broken"), 1);
  await assert.rejects(clock.advance(5), /broken/);
  await clock.advance(4);
  assert.equal(clock.now(), 5);
  for (const ms of [-1, Number.NaN, Infinity]) assert.throws(() => clock.advance(ms), isBad(/`advance`/));
});

// ----------------------------------------------------------------------------------------------- fakeApprover

test("answers are given in order, and the last one repeats", async () => {
  const { gate, ran } = bench({ answers: { delete_note: ["deny", { approve: { editedArguments: '{"id":"x"}' } }] } });
  const denied: boolean[] = [];
  for (const id of ["c1", "c2", "c3"]) denied.push((await gate.execute(call(id))).denied);
  assert.deepEqual(
    [denied, ran],
    [
      [true, false, false],
      ["x", "x"],
    ],
  );
  assert.deepEqual(
    gate.approver.asked.map(({ confirmationId }) => confirmationId),
    ["c1", "c2", "c3"],
  );
  gate.approver.assertDone();
});

test("the model reads a denial's note; what is remembered is not asked again", async () => {
  const answers = { delete_note: [{ deny: { note: "not that one" } }, { approve: { remember: "session" } }] as const };
  const { gate } = bench({ answers, grants: memoryGrants() });
  assert.match((await gate.execute(call("c1"))).content, /not that one/);
  await gate.execute(call("c2"));
  assert.equal((await gate.execute({ ...call("c3"), arguments: { id: "c2" } })).denied, false);
  assert.equal(gate.approver.asked.length, 2);
});

test("a function answers every question by what is asked", async () => {
  const answer = ({ toolCallId }: Payload): Answer => (toolCallId === "c2" ? "approve" : "deny");
  const { gate, ran } = bench({ answers: { delete_note: answer } });
  for (const id of ["c1", "c2"]) await gate.execute(call(id));
  assert.deepEqual(ran, ["c2"]);
  gate.approver.assertDone();
});

test("what the script has no answer for stays open, and `assertDone` names tool and id", async () => {
  for (const [answers, problem] of [
    [{}, /no answer for `delete_note` \(`c1`\)/],
    [{ delete_note: [] }, /no answer for `delete_note` \(`c1`\)/],
    [{ delete_note: () => "yes" }, /the answer for `delete_note` \(`c1`\) failed: .*`yes`/],
    [{ delete_note: () => undefined }, /the answer for `delete_note` \(`c1`\) failed/],
    [{ delete_note: async () => "approve" }, /the answer for `delete_note` \(`c1`\) failed/],
    [{ delete_note: () => assert.fail("no idea") }, /failed: no idea/],
  ] as const) {
    const { gate, ran } = bench({ answers, timeoutMs: 60_000 });
    const running = gate.execute(call("c1"));
    await gate.clock.advance(59_999);
    assert.deepEqual([(await gate.pending("s1"))[0]?.status, ran], ["pending", []]);
    assert.throws(() => gate.approver.assertDone(), problem);
    await gate.clock.advance(1);
    assert.equal((await running).denied, true);
  }
});

test("a tool named like a field of every object has no answer", async () => {
  const gate = testGate({ defaultTier: "confirm", answers: {}, logger: quiet, tools: { constructor: () => "ran" } });
  gate.execute(call("c1", "constructor")).catch(() => {});
  await gate.clock.advance(1);
  assert.throws(() => gate.approver.assertDone(), /no answer for `constructor` \(`c1`\)/);
  await gate.close();
});

test("`ignore` leaves the question open, and is an answer", async () => {
  const { gate } = bench({ answers: { delete_note: "ignore" }, timeoutMs: 10 });
  const running = gate.execute(call("c1"));
  await gate.clock.advance(10);
  assert.match((await running).content, /in time/);
  gate.approver.assertDone();
});

test("an answer that was never asked for fails `assertDone`", async () => {
  for (const [answers, problem] of [
    [{ delete_note: ["approve", "deny", "deny"] }, /`delete_note` has 3 scripted, and was asked about once/],
    [{ delete_note: "approve", other: "deny" }, /`other` has 1 scripted, and was asked about 0 times/],
    [{ delete_note: "approve", other: () => "deny" }, /`other` has 1 scripted, and was asked about 0 times/],
  ] as const) {
    const tools = { delete_note: () => "ran", other: () => "ran" };
    const { gate } = bench({ answers, tools });
    await gate.execute(call("c1"));
    assert.throws(() => gate.approver.assertDone(), problem);
  }
});

test("a name that is no tool of the gate throws at once, where the tools are known", () => {
  const none = /`delete_not`, which is no tool of the gate; did you mean `delete_note`\?/;
  assert.throws(() => bench({ answers: { delete_not: "approve" } }), isBad(none));
  bench({ answers: { delete_not: "approve" }, tools: () => ({}) });
  const { gate } = bench();
  assert.throws(() => fakeApprover(gate, { send: "approve" }), isBad(/guard a tool before/));
  gate.guard("send", () => "sent");
  fakeApprover(gate, { send: "approve" });
  assert.throws(() => fakeApprover({} as never, {}), isBad(/`createGate`/));
});

test("what is no answer throws at once", () => {
  for (const [answer, text] of [
    ["aprove", /did you mean `approve`\?/],
    [undefined, /must be one of/],
    [true, /must be one of/],
    [["approve", "allow"], /must be one of/],
    [{}, /must be `approve` or `deny`/],
    [{ approve: {}, deny: {} }, /must be `approve` or `deny`/],
    [{ approve: true }, /must be an object/],
    [{ approve: { note: "fine" } }, /no option `note`/],
    [{ approve: { remember: "ever" } }, /must be one of `session`, `global`/],
    [{ approve: { editedArguments: {} } }, /must be a string/],
    [{ deny: { note: 1 } }, /must be a string/],
    [{ allow: {} }, /no option `allow`/],
  ] as const) {
    assert.throws(() => bench({ answers: { delete_note: answer } }), isBad(text), JSON.stringify(answer));
  }
});

test("an answer names the call that was shown, and every rung is answered", async () => {
  const { gate } = bench({ answers: { delete_note: "approve" }, requireDigest: true });
  assert.equal((await gate.execute(call("c1"))).denied, false);
  assert.equal((await gate.authorize(call("c2"))).disposition, "allow");
  await gate.request(call("c3"));
  await idle();
  assert.equal((await gate.pending("s1"))[0]?.status, "approved");
  gate.approver.assertDone();
});

test("calls that join one question ask once", async () => {
  const { gate, ran } = bench({ answers: { delete_note: ["approve", "deny"] } });
  const both = await Promise.all([gate.execute(call("c1")), gate.execute(call("c1"))]);
  assert.deepEqual([both.map(({ denied }) => denied), ran], [[false, false], ["c1"]]);
  assert.throws(() => gate.approver.assertDone(), /2 scripted, and was asked about once/);
});

test("another gate's question is answered when a call of this one joins it", async () => {
  const state = memoryState();
  const [asking, joining] = [bench({ state }), bench({ state, answers: { delete_note: "approve" } })];
  const waiting = asking.gate.execute(call("c1"));
  await asking.gate.clock.advance(1);
  assert.deepEqual(joining.gate.approver.asked, []);
  assert.equal((await joining.gate.execute(call("c1"))).denied, false);
  assert.equal((await waiting).denied, false);
  assert.deepEqual([asking.ran, joining.ran], [["c1"], []]);
  joining.gate.approver.assertDone();
});

test("a server's tool is answered by `server/tool`, never by its bare name", async () => {
  const tools = { "srv/del": () => "ran", del: () => "ran" };
  const { gate } = bench({ tools, answers: { "srv/del": "approve", del: "deny" } });
  assert.equal((await gate.execute({ ...call("c1", "del"), server: "srv" })).denied, false);
  assert.equal((await gate.execute(call("c2", "del"))).denied, true);
});

test("without `as` whoever the call is from answers; with it that person, where `mayDecide` says so", async () => {
  const boss = { user: "boss" };
  const mayDecide = (_: Payload, { user }: Context) => user === "boss";
  const owned = { owner: (session: string) => `owner of ${session}` };
  const own = bench({ answers: { delete_note: "approve" } });
  await own.gate.execute(call("c1"), { context: { user: "ann" } });
  assert.equal(own.gate.recorded.audit[0]?.decidedBy, "ann");

  const other = bench({ ...owned, mayDecide });
  other.gate.approver.stop();
  const approver = fakeApprover(other.gate, { delete_note: "approve" }, { as: boss });
  await other.gate.execute(call("c1"), { context: { user: "owner of s1" } });
  assert.equal(other.gate.recorded.audit[0]?.decidedBy, "boss");
  approver.assertDone();
  assert.deepEqual(other.gate.approver.asked, []);

  const refused = bench({ ...owned, mayDecide, answers: { delete_note: "approve" } });
  const waiting = refused.gate.execute(call("c1"), { context: { user: "owner of s1" } });
  await refused.gate.clock.advance(1);
  assert.throws(() => refused.gate.approver.assertDone(), /`delete_note` \(`c1`\) failed: you may not decide/);
  await refused.gate.cancelSession("s1", { context: { user: "owner of s1" } });
  assert.equal((await waiting).denied, true);
});

test("a stopped approver answers nothing", async () => {
  const { gate, ran } = bench({ answers: { delete_note: "approve" }, timeoutMs: 5 });
  gate.approver.stop();
  const running = gate.execute(call("c1"));
  await gate.clock.advance(5);
  assert.equal((await running).denied, true);
  assert.deepEqual([ran, gate.approver.asked], [[], []]);
});

// --------------------------------------------------------------------------------------- recorder and testGate

test("everything the gate tells is recorded, and its own observers are told too", async () => {
  const own: string[] = [];
  const { gate } = bench({
    answers: { delete_note: "approve" },
    tools: { delete_note: () => "gone", wipe: () => "gone" },
    tiers: { wipe: "deny" },
    onPermission: ({ basis }: { basis: string }, { user }: Context) => own.push(`${basis} ${user}`),
    onAudit: ({ execution }: { execution: string }) => own.push(execution),
  });
  for (const name of ["wipe", "delete_note"]) await gate.execute(call(name, name), { context: { user: "ann" } });
  assert.deepEqual(
    gate.recorded.events.map(({ call: { toolName }, basis }) => `${toolName} ${basis}`),
    ["wipe tier"],
  );
  assert.deepEqual(
    gate.recorded.audit.map(({ disposition, execution, at }) => [disposition, execution, at]),
    [
      ["deny", "none", 0],
      ["allow", "ran", 0],
    ],
  );
  assert.deepEqual(own.sort(), ["none", "ran", "tier ann"]);
});

test("a recorder is plugged into any gate", async () => {
  const { events, audit, onPermission, onAudit } = recorder();
  const options: GateOptions = { state: memoryState(), defaultTier: "deny", logger: quiet };
  await createGate({ ...options, onPermission, onAudit }).execute(call("c1"));
  assert.deepEqual([events.length, audit.length], [1, 1]);
});

test("gates of one test share store and clock; another clock is refused", async () => {
  const shared = { state: memoryState(), clock: fakeClock(7) };
  const [one, other] = [bench({ ...shared, timeoutMs: 10 }), bench(shared)];
  const waiting = one.gate.execute(call("c1"));
  await other.gate.clock.advance(10);
  assert.equal((await waiting).denied, true);
  assert.equal(one.gate.recorded.audit[0]?.at, 17);
  assert.throws(() => bench({ clock: { now: Date.now, setTimeout } }), isBad(/`fakeClock\(\)`/));
});

// -------------------------------------------------------------------------------------------------- fakeRunner

/** A gate whose question was asked by one that is closed. */
async function orphaned(outcomes: RunOutcome | readonly RunOutcome[], answers = {}) {
  const state = memoryState();
  const { gate: first } = bench({ state });
  first.execute(call("c1"), { runId: "r1" }).catch(() => {});
  await first.clock.advance(1);
  await first.close();
  const runner = fakeRunner(outcomes);
  const { gate, ran } = bench({ state, answers });
  gate.resumeWith(runner);
  const yes = () => gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true });
  return { gate, ran, runner, yes };
}

test("what was open before is answered too, and the runner keeps what it was resumed with", async () => {
  const { gate, ran, runner } = await orphaned("starts", { delete_note: "approve" });
  await gate.clock.advance(1);
  assert.deepEqual(ran, ["c1"]);
  assert.deepEqual(
    runner.runs.map(({ input: { threadId, messages } }) => [threadId, messages.map(({ content }) => content)]),
    [["s1", ['"deleted 1"']]],
  );
  assert.deepEqual(await gate.pending("s1"), []);
  gate.approver.assertDone();
});

test("a run that does not start keeps the result for the next one", async () => {
  const { gate, ran, runner, yes } = await orphaned(["fails", "run_active", "starts"]);
  for (const message of [/could not be started/, /another run is active/])
    await assert.rejects(yes(), { code: "run_active", message });
  assert.equal((await gate.pending("s1")).length, 1);
  assert.deepEqual(await yes(), { path: "recovery", status: "approved", replayed: true });
  assert.deepEqual([ran, runner.runs.length, await gate.pending("s1")], [["c1"], 3, []]);
});

test("a run of which nothing is heard holds up the decision until the gate closes", async () => {
  const { gate, runner, yes } = await orphaned("hangs");
  let settled = false;
  const deciding = yes().finally(() => {
    settled = true;
  });
  deciding.catch(() => {});
  await gate.clock.advance(60_000);
  assert.deepEqual([settled, runner.runs.length], [false, 1]);
  const closing = gate.close();
  await assert.rejects(deciding, (error) => AckError.is(error) && error.code === "closed");
  await gate.clock.advance(5_000);
  await closing;
});

test("an outcome that is none throws at once", () => {
  assert.throws(() => fakeRunner("start" as never), isBad(/did you mean `starts`\?/));
  assert.throws(() => fakeRunner([undefined] as never), isBad(/must be one of/));
  assert.throws(() => fakeRunner([]), isBad(/needs an outcome/));
});
