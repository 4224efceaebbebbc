// One of many processes that open an empty database at once: `node postgres-start.mjs URL SCHEMA ID`.
import { once } from "node:events";
import { postgresGrants, postgresState } from "ackgate/postgres";
import pg from "pg";

const [connectionString, schema, id] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 2 });
await pool.query("SELECT 1");
process.stdout.write("ready\n");
await once(process.stdin, "data");

const key = { app: "ack", user: "u1", session: "s1" };
const state = postgresState(pool, { schema });
const grants = postgresGrants(pool, { schema });
const [outcome] = await Promise.all([
  state.write(key, `c:${id}`, "a", undefined),
  grants.save({ id, app: "ack", userId: "u1", sessionId: "", toolName: "t", createdBy: "u1", createdAt: 1 }, {}),
]);
if (!("version" in outcome)) throw new Error("a conflict");
await state[Symbol.asyncDispose]();
await pool.end();
process.stdin.destroy();
