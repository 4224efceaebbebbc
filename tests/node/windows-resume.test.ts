// Failure windows of a resumption: the call was carried out without its run, and the run is not there yet.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { AckError, memoryState, type ResumeRunner, type SessionState } from "ackgate";
import { openStore } from "./kill-store.js";
import { until } from "./store-steps.js";
import { hostOn, idle, orphaned, sharedState, type TestHost, YES } from "./windows-hosts.js";

const LIMIT = { timeout: 60_000 };
const RECOVERED = { path: "recovery", status: "approved" };
const REPLAYED = { ...RECOVERED, replayed: true };
const STORES = {
  memory: "here",
  postgres: process.env.ACKGATE_TEST_PG,
  redis: process.env.ACKGATE_TEST_REDIS,
} as const;

interface Clients {
  readonly states: readonly [SessionState, SessionState];
  close(): Promise<void>;
}

/** Two clients of one fresh store, as two processes have them. */
async function clientsOf(kind: keyof typeof STORES, url: string): Promise<Clients> {
  if (kind === "memory") {
    const { state } = sharedState(memoryState());
    return { states: [state, state], close: async () => undefined };
  }
  const space = `windows_${randomInt(2 ** 31)}`;
  const [first, second] = [await openStore(kind, url, space), await openStore(kind, url, space)];
  return {
    states: [first.state, second.state],
    async close() {
      await first.close();
      await second.close();
    },
  };
}

/** Runners that do not come as far as RUN_STARTED, and the error that the framework gave. */
const FAILING: Record<string, { run: ResumeRunner["run"]; cause: RegExp }> = {
  throws: {
    run: () => {
      throw new Error("no model");
    },
    cause: /no model/,
  },
  "rejects with `run_active`": {
    run: () => Promise.reject(new AckError("run_active", "busy")),
    cause: /busy/,
  },
  "ends at once": { run: async function* () {}, cause: /ended before it had started/ },
  "sends RUN_ERROR": {
    run: async function* () {
      yield { type: "RUN_ERROR", message: "overloaded" };
    },
    cause: /overloaded/,
  },
};

for (const [kind, url] of Object.entries(STORES) as [keyof typeof STORES, string | undefined][]) {
  for (const [failure, { run, cause }] of Object.entries(FAILING)) {
    const options = { ...LIMIT, skip: url === undefined && `no ${kind} server` };
    test(
      `settled, resume not started (it ${failure}): a repeated decision only resumes; ${kind}`,
      options,
      async () => {
        const { states, close } = await clientsOf(kind, url ?? "");
        try {
          await orphaned(states[0], "c1");
          const [here, there] = states.map((state) => hostOn(state)) as [TestHost, TestHost];
          const tried: string[] = [];
          here.gate.resumeWith({
            run(input, context) {
              tried.push(input.runId);
              return run(input, context);
            },
          });
          for (const _ of ["the decision", "the same again"]) {
            await assert.rejects(here.gate.decide(YES), (error) => {
              assert.ok(AckError.is(error) && error.code === "run_active");
              return cause.test(String(error.cause ?? error));
            });
          }
          assert.equal((await there.gate.pending("s1"))[0]?.status, "approved");
          there.resumes();
          assert.deepEqual(await there.gate.decide(YES), REPLAYED);
          assert.deepEqual(await there.gate.decide(YES), REPLAYED);
          assert.deepEqual([here.ran.length, there.ran.length], [1, 0]);
          const [first] = tried;
          assert.deepEqual([tried, there.runs], [[first, first], [{ runId: first, results: ["ran 1"] }]]);
          assert.deepEqual(await there.gate.pending("s1"), []);
        } finally {
          await close();
        }
      },
    );
  }
}

test("resume claimed, process dies: claimed again under the same run id", LIMIT, async () => {
  const store = sharedState();
  await orphaned(store.state, "c1");
  const [dying, next] = [hostOn(store.state, { clock: idle }), hostOn(store.state)];
  let asked = "";
  dying.gate.resumeWith({
    run({ runId }) {
      asked = runId;
      return new Promise(() => {});
    },
  });
  next.resumes();
  dying.gate.decide(YES).catch(() => undefined);
  await until(() => asked !== "");
  await next.gate.decide(YES);
  assert.deepEqual(next.runs, [], "its lease is current");
  await store.lapse("r:c1");
  assert.equal(await next.gate.sweep(), 1);
  assert.deepEqual(next.runs, [{ runId: asked, results: ["ran 1"] }]);
  assert.deepEqual([dying.ran.length, next.ran.length, await next.gate.sweep()], [1, 0, 0]);
});

test(
  "resumed, process dies before it noted every result as delivered: nobody starts the run again",
  LIMIT,
  async () => {
    for (const noted of [0, 1, 2]) {
      const store = sharedState();
      await orphaned(store.state, "c1", "c2", "c3");
      const [dying, next] = [hostOn(store.state, { clock: idle }), hostOn(store.state)];
      for (const host of [dying, next]) host.resumes();
      for (const confirmationId of ["c1", "c2"]) await dying.gate.decide({ ...YES, confirmationId });
      let left = noted;
      let dead = false;
      dying.fault.write = (id, record) => {
        if (!id.startsWith("c:") || !record.includes('"delivered":true') || left-- > 0) return;
        dead = true;
        return new Promise(() => {});
      };
      dying.gate.decide({ ...YES, confirmationId: "c3" }).catch(() => undefined);
      await until(() => dead);
      assert.equal(dying.runs.length, 1);
      for (const id of ["c:c1", "c:c2", "c:c3", "r:c1"]) await store.lapse(id);
      for (const confirmationId of ["c3", "c2", "c1"]) await next.gate.decide({ ...YES, confirmationId });
      await next.gate.sweep();
      assert.deepEqual(next.runs, [], `${noted} of three were noted`);
      assert.deepEqual(await next.gate.pending("s1"), []);
    }
  },
);
