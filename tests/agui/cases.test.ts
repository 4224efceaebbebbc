// Every conversation, by every way, with every client line.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@ag-ui/client";
import { CASES } from "./cases.ts";
import { said } from "./client.ts";
import { withHost } from "./host.ts";
import { LINES } from "./lines.ts";
import { ASKED, done, loose, stored, thread } from "./thread.ts";
import { WAYS } from "./ways.ts";

for (const line of LINES) {
  for (const way of WAYS) {
    for (const each of CASES) {
      test(`${line.name}, ${way.name}: ${each.what}`, () =>
        withHost(line, { script: each.script, agui: way.options }, async (host) => {
          const person = await way.converse(host, each);
          const { agent, cards, events, settled } = person;
          const ordered = (list: readonly string[]) => (way.exact ? list : [...list].sort());
          const messages = way.exact ? (list: Message[]): unknown[] => list : loose;
          assert.deepEqual(ordered(host.ran), ordered(each.ran));
          assert.deepEqual(
            host.events.map(({ basis }) => basis),
            each.bases ?? [],
          );
          const last = events.at(-1);
          assert.equal(last?.type, "RUN_FINISHED");
          const came = [ASKED, ...each.came, done(String(last?.runId))];
          const expected = way.reloads ? stored(...came) : thread(line, came);
          assert.deepEqual(messages(said(person)), messages(expected));
          assert.deepEqual(agent.state, {});
          // Each card that was seen open was seen settled, once.
          const shown = new Set(cards.filter(({ status }) => status === "pending").map((card) => card.confirmationId));
          const answers = each.rounds.flat().map(([id, { approved }]) => `${id} ${approved ? "approved" : "denied"}`);
          assert.deepEqual(
            ordered(settled().map((card) => card.join(" "))),
            ordered(answers.filter((answer) => shown.has(answer.split(" ")[0] ?? ""))),
          );
          assert.deepEqual([await host.pending(), host.logs], [[], []]);
        }));
    }
  }
}
