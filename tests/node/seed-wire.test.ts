// The wire contract of the Go library `ack`, by its field tags: only added to, never renamed or removed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { customEvent, EVENT_NAME, PATH_LIVE, PATH_RECOVERY, STATE_KEY } from "ackgate";
import { startHost, watch } from "./notes-host.js";

type Field = { type: "string" | "number" | "object" | "boolean"; omitempty?: true };
const PAYLOAD: Record<string, Field> = {
  confirmationId: { type: "string" },
  toolCallId: { type: "string" },
  toolName: { type: "string" },
  arguments: { type: "object", omitempty: true },
  sessionId: { type: "string" },
  status: { type: "string" },
  decidedBy: { type: "string", omitempty: true },
  createdAt: { type: "number" },
};
const PENDING_ITEM: Record<string, Field> = { ...PAYLOAD, live: { type: "boolean" } };
const ADDED = ["server", "userId", "argumentsDigest", "forced", "reason", "suggestions", "expiresAt", "askedBy"];
const ADDED_TOO = ["settledAt", "editedArguments", "editable", "runId", "parents", "refusedBefore"];

function checkFields(value: Record<string, unknown>, fields: Record<string, Field>): void {
  for (const [name, { type, omitempty }] of Object.entries(fields)) {
    if (omitempty && !(name in value)) continue;
    assert.equal(typeof value[name], type, name);
  }
  const known = [...Object.keys(fields), ...ADDED, ...ADDED_TOO];
  assert.deepEqual(
    Object.keys(value).filter((name) => !known.includes(name)),
    [],
  );
}

test("the constants", () => {
  assert.deepEqual(
    [EVENT_NAME, STATE_KEY, PATH_LIVE, PATH_RECOVERY],
    ["tool_confirmation", "__pending_tool_confirmation__", "live", "recovery"],
  );
  assert.deepEqual(customEvent({ status: "pending" } as never), {
    type: "CUSTOM",
    name: "tool_confirmation",
    value: { status: "pending" },
  });
});

test("event, list and answer of one confirmation", async (t) => {
  const host = await startHost({ script: [["delete_note", { id: "n2" }]] });
  t.after(() => host.close());
  const started = Date.now();
  let answered: unknown;
  let listed: Record<string, unknown>[] = [];
  const seen = await watch(host.agent("t1"), async ({ confirmationId }) => {
    listed = await host.pending("t1");
    answered = await host.decide({ threadId: "t1", confirmationId, approved: true, remember: "session" });
  });
  const [pending, approved] = seen.cards as unknown as [Record<string, unknown>, Record<string, unknown>];
  for (const payload of [pending, approved]) checkFields(payload, PAYLOAD);
  assert.deepEqual(
    [
      pending.confirmationId,
      pending.toolCallId,
      pending.sessionId,
      pending.toolName,
      pending.arguments,
      pending.status,
    ],
    ["call-0", "call-0", "t1", "delete_note", { id: "n2" }, "pending"],
  );
  assert.equal(pending.decidedBy, undefined);
  assert.deepEqual([approved.status, approved.decidedBy], ["approved", "u1"]);
  assert.ok((pending.createdAt as number) >= started && (pending.createdAt as number) <= Date.now());
  assert.equal(listed.length, 1);
  checkFields(listed[0] ?? {}, PENDING_ITEM);
  assert.equal(listed[0]?.live, true);
  assert.deepEqual(answered, { status: 200, body: { path: "live", status: "approved" } });
});
