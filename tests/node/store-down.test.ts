// A PostgreSQL that goes away while a person is asked, and comes back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate } from "ackgate";
import { postgresState } from "ackgate/postgres";
import pg from "pg";
import { ownPostgres } from "../runner/services.mjs";

const KEY = { app: "ack", user: "u1", session: "s1" };
const YES = { sessionId: "s1", confirmationId: "c1", approved: true } as const;

test("with the server down a decision is an error, nothing is consumed, and the call goes on when it is back", async (t) => {
  const server = await ownPostgres();
  if (!server) return t.skip("no postgres server");
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  pool.on("error", () => undefined);
  const state = postgresState(pool);
  let ran = 0;
  const gate = createGate({
    state,
    user: "u1",
    tools: { delete_note: ({ id }: { id: string }) => `deleted ${id}, ${++ran}` },
    defaultTier: "confirm",
    leaseMs: 600_000,
    pollMs: 50,
    storeTimeoutMs: 2_000,
    logger: { warn() {}, error() {} },
  });
  try {
    const running = gate.execute({
      sessionId: "s1",
      toolCallId: "c1",
      toolName: "delete_note",
      arguments: { id: "n2" },
    });
    while (!(await state.read(KEY, "c:c1"))) await new Promise((resolve) => setImmediate(resolve));
    await server.stop();
    await assert.rejects(gate.decide(YES));
    await assert.rejects(gate.pending("s1"));
    await server.start();
    while ((await gate.pending("s1").catch(() => [])).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await gate.pending("s1"))[0]?.status, "pending");
    assert.deepEqual(await gate.decide(YES), { path: "live", status: "approved" });
    assert.equal((await running).denied, false);
    assert.equal(ran, 1);
  } finally {
    await gate.close();
    await state[Symbol.asyncDispose]();
    await pool.end();
    await server.remove();
  }
});
