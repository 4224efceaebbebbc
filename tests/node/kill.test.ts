// The kill test: three hosts on one store, killed by -9 at random moments and started again, while people answer.
// `npm test` asks 100 questions of each store, `npm run torture` 500 (ACKGATE_KILLS).
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import type { StoreKind } from "./kill-store.js";
import { type Figures, KillWorld } from "./kill-world.js";

const COUNT = Number(process.env.ACKGATE_KILLS ?? 100);
const SEED = Number(process.env.ACKGATE_KILL_SEED ?? randomInt(2 ** 31));
const STORES: readonly [StoreKind, string | undefined][] = [
  ["postgres", process.env.ACKGATE_TEST_PG],
  ["redis", process.env.ACKGATE_TEST_REDIS],
];

for (const [store, url] of STORES) {
  const skip = url === undefined && `no ${store} server`;
  const name = store === "postgres" ? "postgres, half of the notifications lost" : store;
  test(`kill -9 on ${name}: no approval runs twice, none is lost`, { skip, timeout: 600_000 }, async () => {
    console.log(`${store}: seed ${SEED}`);
    const world = await KillWorld.make(store, url ?? "", SEED);
    try {
      check(store, await world.run(COUNT));
    } finally {
      await world.end();
    }
  });
}

function check(store: string, { asked, rows, audit, journal, records, kills, survivors }: Figures): void {
  const starts = new Map<string, number>();
  for (const { id, at } of rows) if (at === "start") starts.set(id, (starts.get(id) ?? 0) + 1);
  const recovered = asked.filter(({ answers }) => answers.some(({ path }) => path === "recovery")).length;
  const unknown = [...records.values()].filter(({ execution }) => execution === "unknown").length;
  console.log(
    `${store}: ${asked.length} confirmations, ${starts.size} ran, ${unknown} outcome unknown; ${kills.all} kills, ${kills.open} of hosts with open ones, ${kills.executing} while executing; ${recovered} recovered`,
  );
  for (const { id, approved, answers } of asked) {
    const record = records.get(id);
    const runs = starts.get(id) ?? 0;
    assert.ok(runs <= 1, `${id} ran ${runs} times`);
    assert.equal(answers.length, 2);
    for (const { status } of answers) assert.equal(status, approved ? "approved" : "denied", id);
    if (!approved) assert.equal(runs, 0, `${id} was denied and ran`);
    else
      assert.ok(
        record?.execution === "unknown" || runs === 1,
        `${id} was approved, is ${record?.execution}, ran ${runs}`,
      );
  }
  for (const { id } of asked) {
    const reports = audit.filter(({ call, execution }) => call.toolCallId === id && execution !== "late");
    const settler = journal.find((row) => row.id === id && row.what === "settled");
    const lived = settler !== undefined && survivors.has(settler.host);
    assert.ok(lived ? reports.length === 1 : reports.length <= 1, `${id} was audited ${reports.length} times`);
  }
  const lost = journal.filter(({ what }) => what === "lost").length;
  console.log(`${store}: ${lost} notifications lost`);
  assert.ok(store === "redis" || lost >= 10, `${lost} notifications were lost`);
  assert.ok(kills.open >= 10, "too few kills hit a host with open confirmations");
  assert.ok(recovered >= 10, "too few confirmations were recovered by another host");
  assert.ok(kills.executing >= 1, "no kill hit a running tool");
}
