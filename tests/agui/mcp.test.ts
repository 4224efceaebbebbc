// The tool of an MCP server is gated like a function of the host: the client sees the same events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "./agent.ts";
import { asking, type Front } from "./client.ts";
import { withHost } from "./host.ts";
import { type ClientLine, LINES } from "./lines.ts";
import { startNotes } from "./notes-mcp.ts";

const CALL: Call = { id: "c1", tool: "delete_note", args: { id: "n1" } };

/** A conversation on a host that has the same tool twice. */
async function answered(line: ClientLine, call: Call, approved: boolean, body: (seen: Front) => unknown) {
  const remote: string[] = [];
  const server = await startNotes(remote);
  const run: string[] = [];
  const local = ({ id }: { id: string }) => {
    run.push(`delete ${id}`);
    return { deleted: id };
  };
  const tools = { delete_note: local, ...server.tools };
  const tiers = { delete_note: "confirm", "notes/delete_note": "confirm" } as const;
  try {
    await withHost(line, { script: [[call]], gate: { tools, tiers } as object }, async (host) => {
      const person = asking(host);
      await person.run({ runId: "r1" }, ({ confirmationId }) => host.decide(confirmationId, { approved }));
      assert.deepEqual(host.logs, []);
      const ran = approved ? ["delete n1"] : [];
      assert.deepEqual([run, remote], call.server === undefined ? [ran, []] : [[], ran]);
      await body(person);
    });
  } finally {
    await server.close();
  }
}

/** Without the server's name: as a field, in the suggested grant's text, and in the digest, which binds it. */
const compared = ({ events }: Front) =>
  events.map((event) => {
    if (event.type !== "CUSTOM") return event;
    const { server: _, argumentsDigest: __, ...value } = event.value as Record<string, unknown>;
    return { ...event, value: JSON.parse(JSON.stringify(value).replaceAll("`notes/delete_note`", "`delete_note`")) };
  });

for (const line of LINES) {
  for (const approved of [true, false]) {
    test(`${line.name}: an MCP tool that is ${approved ? "approved" : "denied"} gives the events of a function`, () =>
      answered(line, CALL, approved, async (local) => {
        assert.ok(local.cards.length === 2 && local.cards.every(({ server }) => server === undefined));
        for (const direct of [{}, { direct: true } as const]) {
          await answered(line, { ...CALL, ...direct, server: "notes" }, approved, (remote) => {
            assert.deepEqual(compared(remote), compared(local));
            assert.deepEqual(remote.agent.messages, local.agent.messages);
            for (const [index, card] of remote.cards.entries()) {
              assert.equal(card.server, "notes");
              assert.notEqual(card.argumentsDigest, local.cards[index]?.argumentsDigest);
            }
          });
        }
      }));
  }
}
