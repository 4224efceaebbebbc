// Every conversation, by every way, with every client line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CASES } from "./cases.ts";
import { withHost } from "./host.ts";
import { LINES } from "./lines.ts";
import { ASKED, done, thread } from "./thread.ts";
import { WAYS } from "./ways.ts";

for (const line of LINES) {
  for (const way of WAYS) {
    for (const each of CASES) {
      test(`${line.name}, ${way.name}: ${each.what}`, () =>
        withHost(line, { script: each.script, agui: way.options }, async (host) => {
          const { agent, events, settled } = await way.converse(host, each);
          assert.deepEqual(host.ran, each.ran);
          assert.deepEqual(
            host.events.map(({ basis }) => basis),
            each.bases ?? [],
          );
          const last = events.at(-1);
          assert.equal(last?.type, "RUN_FINISHED");
          assert.deepEqual(agent.messages, thread(line, [ASKED, ...each.came, done(String(last?.runId))]));
          assert.deepEqual(agent.state, {});
          assert.deepEqual(
            settled(),
            each.rounds.flat().map(([id, { approved }]) => [id, approved ? "approved" : "denied"]),
          );
          assert.deepEqual([await host.pending(), host.logs], [[], []]);
        }));
    }
  }
}
