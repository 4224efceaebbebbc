// The stores that several processes share, each opened in a name space of its own.
import type { SessionState } from "ackgate";
import { postgresState } from "ackgate/postgres";
import pg from "pg";

export type StoreKind = "postgres";

export async function openStore(
  _kind: StoreKind,
  url: string,
  space: string,
): Promise<{ state: SessionState; close(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => undefined);
  const state = postgresState(pool, { schema: space });
  return {
    state,
    async close() {
      await state[Symbol.asyncDispose]();
      await pool.end();
    },
  };
}
