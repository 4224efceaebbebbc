// The stores that several processes share, each opened in a name space of its own.
import type { SessionState } from "ackgate";
import { postgresState } from "ackgate/postgres";
import { redisState } from "ackgate/redis";
import pg from "pg";
import { createClient } from "redis";

export type StoreKind = "postgres" | "redis";
export interface OpenStore {
  readonly state: SessionState;
  close(): Promise<void>;
}

export function openStore(kind: StoreKind, url: string, space: string): Promise<OpenStore> {
  return kind === "postgres" ? openPostgres(url, space) : openRedis(url, space);
}

async function openPostgres(url: string, space: string): Promise<OpenStore> {
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

async function openRedis(url: string, space: string): Promise<OpenStore> {
  const client = createClient({ url });
  client.on("error", () => undefined);
  await client.connect();
  // The test's server is one process that is never killed: what it has acknowledged it has.
  const state = redisState(client, { prefix: space, durable: true });
  return {
    state,
    async close() {
      await state[Symbol.asyncDispose]();
      await client.close();
    },
  };
}
