// Failure windows of one call: the fault comes at exactly that moment, and what was left behind is carried on with.
// More of them: crash.test.ts (a process dies at each write), unknown-writes.test.ts, store-down.test.ts, trap.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, memoryState } from "ackgate";
import { until } from "./store-steps.js";
import { asked, hostOn, idle, orphaned, sharedState, YES } from "./windows-hosts.js";

const RECOVERED = { path: "recovery", status: "approved" };
const LIMIT = { timeout: 60_000 };
const UNKNOWN = /whether it finished is not known/;
const withCode = (code: string) => (error: unknown) => AckError.is(error) && error.code === code;

test("decided, owner dies before claim: the decider claims and carries it out", LIMIT, async () => {
  const store = sharedState();
  const owner = hostOn(store.state, { clock: idle });
  await asked(owner);
  const other = hostOn(store.state, { pollMs: 5 });
  other.resumes();
  const dead = owner.dies('"stage":"executing"');
  const deciding = other.gate.decide(YES);
  await dead;
  assert.equal((await store.record()).stage, "decided");
  await store.lapse();
  assert.deepEqual(await deciding, RECOVERED);
  assert.deepEqual([owner.ran.length, other.ran.length, other.runs.length], [0, 1, 1]);
});

for (const [idempotent, executions] of [
  [true, 3],
  [false, 1],
] as const) {
  const name = idempotent ? "again only because it is idempotent, at most twice" : "never again";
  test(`executing, process dies: outcome unknown; ${name}`, LIMIT, async () => {
    const store = sharedState();
    let begun = 0;
    const stuck = { idempotent, run: () => new Promise(() => begun++) };
    const next = () => {
      const host = hostOn(store.state, { clock: idle, tools: { delete_note: stuck } });
      host.resumes();
      return host;
    };
    let owner = next();
    await asked(owner);
    owner.gate.decide(YES).catch(() => undefined);
    for (let expected = 1; ; expected++) {
      await until(async () => begun === expected && (await store.record()).fence === expected);
      void owner.dies("");
      await store.lapse();
      if (expected === executions) break;
      owner = next();
      owner.gate.sweep().catch(() => undefined);
    }
    const last = next();
    assert.equal(await last.gate.sweep(), 1);
    const { stage, execution, result } = await store.record();
    assert.deepEqual([stage, execution, begun], ["settled", "unknown", executions]);
    assert.match(result ?? "", UNKNOWN);
    assert.equal(last.runs.length, 1);
    assert.equal(await last.gate.sweep(), 0);
  });
}

test("executing, owner merely slow: its fence is refused, its run ends `taken_over`", LIMIT, async () => {
  const store = sharedState();
  let finish = (_: string): void => {};
  const working = new Promise<string>((resolve) => {
    finish = resolve;
  });
  let begun = 0;
  const owner = hostOn(store.state, { tools: { delete_note: () => ++begun && working } });
  owner.resumes();
  const { running } = await asked(owner);
  const deciding = owner.gate.decide(YES);
  await until(() => begun === 1);
  await store.lapse();
  const other = hostOn(store.state);
  other.resumes();
  assert.equal(await other.gate.sweep(), 1);
  const { execution, result, fence } = await store.record();
  assert.equal(execution, "unknown");
  finish("deleted after all");
  await assert.rejects(running, withCode("taken_over"));
  assert.equal((await deciding).status, "approved");
  const after = await store.record();
  assert.deepEqual([after.execution, after.result, after.fence], [execution, result, fence]);
  assert.deepEqual(
    owner.audit.map(({ execution }) => execution),
    ["late"],
  );
  assert.deepEqual([begun, other.ran.length, owner.runs.length + other.runs.length], [1, 0, 1]);
});

test("executed, finish not saved: retried with back-off, then unknown", LIMIT, async () => {
  const store = sharedState();
  const pauses: number[] = [];
  // Pauses are noted and skipped; leases and polls are longer.
  const hurried = {
    ...idle,
    setTimeout(run: () => void, ms: number) {
      if (ms < 5_000) pauses.push(ms);
      const timer = setTimeout(run, ms < 5_000 ? 0 : ms);
      return () => clearTimeout(timer);
    },
  };
  const owner = hostOn(store.state, { clock: hurried });
  owner.resumes();
  const { running } = await asked(owner);
  let tries = 0;
  owner.fault.write = (_, record) => {
    if (!record.includes('"execution":"ran"')) return;
    tries++;
    throw new Error("disk full");
  };
  const deciding = owner.gate.decide(YES);
  await assert.rejects(running, /disk full/);
  assert.deepEqual([owner.ran.length, (await store.record()).stage], [1, "executing"]);
  assert.ok(tries > 5, `tried ${tries} times`);
  assert.ok(Math.max(...pauses) >= 32 * Math.min(...pauses), `no back-off: ${pauses}`);
  await store.lapse();
  const other = hostOn(store.state);
  other.resumes();
  assert.equal(await other.gate.sweep(), 1);
  const { execution, result } = await store.record();
  assert.equal(execution, "unknown");
  assert.match(result ?? "", UNKNOWN);
  assert.equal((await deciding).status, "approved");
  assert.deepEqual([owner.ran.length, other.ran.length, owner.runs.length + other.runs.length], [1, 0, 1]);
});

for (const left of ["pending", "decided", "executing"] as const) {
  test(
    `store that may lose acknowledged writes (\`durable: false\`): logged, recovery is off for what is ${left}`,
    LIMIT,
    async () => {
      const store = sharedState();
      const unsure = { ...store.state, durable: false };
      const owner = hostOn(unsure, { clock: idle });
      assert.match(owner.logged[0] ?? "", /may lose acknowledged writes/);
      if (left === "pending") await orphaned(unsure, "c1");
      else {
        await asked(owner);
        const dead = owner.dies(left === "decided" ? '"stage":"executing"' : '"stage":"settled"');
        owner.gate.decide(YES).catch(() => undefined);
        await dead;
        await store.lapse();
      }
      const before = await store.record();
      assert.equal(before.stage, left);
      const other = hostOn(unsure);
      other.resumes();
      if (left === "pending") {
        await assert.rejects(other.gate.decide(YES), withCode("not_bound"));
        assert.equal((await other.gate.pending("s1")).length, 1);
        assert.equal(await other.gate.sweep(), 0);
        assert.deepEqual(await store.record(), before);
      } else {
        assert.equal(await other.gate.sweep(), 0);
        const { stage, result } = await store.record();
        assert.equal(stage, "settled", "what nobody carries out does not stay open");
        assert.match(result ?? "", /whether it (was run|finished) is not known/);
        const { status, replayed } = await other.gate.decide(YES);
        assert.deepEqual([status, replayed], [left === "decided" ? "canceled" : "approved", true]);
        assert.deepEqual(await other.gate.pending("s1"), []);
      }
      assert.deepEqual([owner.ran.length, other.ran.length, other.runs.length], [left === "executing" ? 1 : 0, 0, 0]);
    },
  );
}

test(
  "store that may lose acknowledged writes (`durable: false`): a call whose run waits is carried out by it",
  LIMIT,
  async () => {
    const host = hostOn({ ...memoryState(), durable: false });
    const { running } = await asked(host);
    assert.deepEqual(await host.gate.decide(YES), { path: "live", status: "approved" });
    assert.equal((await running).denied, false);
  },
);
