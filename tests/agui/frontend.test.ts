// A tool that the client itself runs: never gated, stored or answered for.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@ag-ui/client";
import { type AuditRecord, memoryState } from "ackgate";
import { asking, reload, said } from "./client.ts";
import { THREAD, withHost } from "./host.ts";
import { LINES } from "./lines.ts";
import { ASKED, answered, called, stored, thread, words } from "./thread.ts";

const TOOLS = [{ name: "pick_color", description: "ask for a color", parameters: { type: "object" } }];
const PICK = { id: "f1", tool: "pick_color", args: { of: "sky" }, frontend: true } as const;
const REMOVE = { id: "c1", tool: "delete_note", args: { id: "n1" } } as const;
const AGAIN = { ...PICK, id: "f2" };

const results = (messages: readonly Message[] | undefined) =>
  messages?.flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message.content]] : []));

for (const line of LINES) {
  test(`${line.name}: a frontend tool beside a gated one`, () => {
    const audit: AuditRecord[] = [];
    const state = memoryState();
    const gate = { onAudit: (record: AuditRecord) => void audit.push(record) };
    return withHost(line, { script: [[PICK, REMOVE], [AGAIN]], state, gate }, async (host) => {
      const person = asking(host);
      await person.run({ runId: "r1", tools: TOOLS }, ({ confirmationId }) =>
        host.decide(confirmationId, { approved: true }),
      );
      const records = await state.list({ app: "ack", user: "ann", session: THREAD }, "confirmation");
      assert.deepEqual([records.length, records[0]?.record.includes("pick_color")], [1, false]);
      assert.deepEqual(
        audit.map(({ call }) => call.toolName),
        ["delete_note"],
      );
      assert.deepEqual(host.events, []);
      assert.ok(person.cards.every(({ toolName }) => toolName === "delete_note"));
      assert.equal(results(person.agent.messages)?.length, 1, "nobody answered in the client's place");

      person.agent.addMessage({ id: "m1", role: "tool", toolCallId: "f1", content: "blue" });
      await person.run({ runId: "r2", tools: TOOLS });
      assert.deepEqual(results(host.given[1])?.sort(), [
        ["c1", '{"deleted":"n1"}'],
        ["f1", "blue"],
      ]);
      assert.deepEqual(host.ran, ["delete n1"]);

      // The person goes on without answering the second one.
      person.agent.addMessage(words("u2", "user", "never mind"));
      await person.run({ runId: "r3", tools: TOOLS });
      assert.deepEqual(results(host.given[2])?.length, 2);
      const first = [
        ASKED,
        called("f1", "pick_color", PICK.args),
        called("c1", "delete_note", REMOVE.args),
        answered("c1", { deleted: "n1" }),
      ];
      const picked: Message = { id: "m1", role: "tool", toolCallId: "f1", content: "blue" };
      const rest = [called("f2", "pick_color", PICK.args), words("u2", "user", "never mind")];
      assert.deepEqual(person.agent.messages, [...thread(line, first), picked, ...rest]);
      assert.deepEqual(said(await reload(host)), stored(...first, picked, ...rest));
      assert.deepEqual([await host.pending(), host.logs], [[], []]);
      assert.deepEqual(audit.length, 1);
    });
  });
}
