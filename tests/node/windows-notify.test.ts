// Notifications that are off or lost: whoever waits hears of the other instance's writes all the same.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import type { SessionState } from "ackgate";
import { type PostgresOptions, postgresState } from "ackgate/postgres";
import pg from "pg";
import { lossy } from "./lossy-state.js";
import { asked, hostOn, sharedState, YES } from "./windows-hosts.js";

const url = process.env.ACKGATE_TEST_PG;
const LIMIT = { timeout: 60_000 };
const SERVER = { ...LIMIT, skip: url === undefined && "no postgres server" };
const OFTEN = 20;
const NEVER = 600_000;

/** One instance asks and waits, another one takes the answer; the first one's run goes on. */
async function answeredElsewhere(states: readonly SessionState[], pollMs: number): Promise<void> {
  const [owner, other] = states.map((state) => hostOn(state, { pollMs }));
  assert.ok(owner && other);
  other.resumes();
  const { running } = await asked(owner);
  assert.deepEqual(await other.gate.decide(YES), { path: "live", status: "approved" });
  assert.equal((await running).content, '"ran 1"');
  assert.deepEqual([owner.ran.length, other.ran.length, other.runs.length], [1, 0, 0]);
}

const WAYS: readonly [name: string, options: PostgresOptions, pollMs: number, loses: boolean][] = [
  ["LISTEN, and no polling", {}, NEVER, false],
  ["notifications lost: the gate polls", {}, OFTEN, true],
  ["`listen: false`: the gate polls", { listen: false }, OFTEN, false],
  ["`listen: false` with `pollMs`: the store looks", { listen: false, pollMs: OFTEN }, NEVER, false],
];
for (const [name, options, pollMs, loses] of WAYS) {
  test(`postgres, ${name}: a waiting run wakes at the other instance's answer`, SERVER, async () => {
    const schema = `notify_${randomInt(2 ** 31)}`;
    const clients = [1, 2].map(() => {
      const pool = new pg.Pool({ connectionString: url, max: 4 });
      return { pool, state: postgresState(pool, { schema, ...options }) };
    });
    try {
      const states = clients.map(({ state }) => (loses ? lossy(state, () => true) : state));
      assert.equal(states[0]?.subscribe === undefined, options.listen === false && options.pollMs === undefined);
      await answeredElsewhere(states, pollMs);
    } finally {
      for (const { pool, state } of clients) {
        await state[Symbol.asyncDispose]();
        await pool.end();
      }
    }
  });
}

test("memory, notifications lost: a waiting run wakes at the other instance's answer", LIMIT, async () => {
  const { state } = sharedState();
  let lost = 0;
  const states = [1, 2].map(() => lossy(state, () => ++lost > 0));
  await answeredElsewhere(states, OFTEN);
  assert.ok(lost > 0);
});
