// Grants in PostgreSQL: what every source must do, embedded and on a server, there through two clients.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import type { Grant } from "ackgate";
import { migration, postgresGrants, postgresState } from "ackgate/postgres";
import { grantSourceSuite } from "ackgate/testing";
import pg from "pg";
import { freshSession, written } from "./store-steps.js";

const LIMIT = { timeout: 120_000 };

describe("postgresGrants on an embedded PGlite", LIMIT, () => {
  const memory = new PGlite();
  after(() => memory.close());
  const source = postgresGrants(memory);
  for (const { name, run } of grantSourceSuite(() => source)) test(name, run);

  test("a database that has the records' table only gets the other one too", async () => {
    const schema = "older";
    await memory.exec(migration({ schema }));
    await memory.exec(`DROP TABLE "${schema}".grants`);
    const state = postgresState(memory, { schema });
    const grants = postgresGrants(memory, { schema });
    await written(state, freshSession(), "c:1", "a");
    await grants.save(grant, {});
    assert.equal([(await grants.lookup({ ...grant, arguments: "{}" }, {})) ?? []].flat().length, 1);
    const byHand = postgresGrants(memory, { schema: "nowhere", migrate: false });
    await assert.rejects(async () => byHand.save(grant, {}), /nowhere.*does not exist/);
  });

  test("wrong options and names that no index can hold are refused by name", async () => {
    assert.throws(() => postgresGrants(memory, { shema: "a" } as object), { code: "bad_options", message: /`schema`/ });
    assert.throws(() => postgresGrants({} as PGlite), { code: "bad_options", message: /`postgresGrants` takes/ });
    await assert.rejects(
      async () => source.save({ ...grant, id: "x".repeat(641) }, {}),
      /`id` has more than 640 bytes/,
    );
  });
});

const server = process.env.ACKGATE_TEST_PG;
describe("postgresGrants on a server", { ...LIMIT, skip: server ? false : "no PostgreSQL server was given" }, () => {
  const pools: pg.Pool[] = [];
  const pool = (options: pg.PoolConfig = {}): pg.Pool => {
    const made = new pg.Pool({ connectionString: server, ...options });
    pools.push(made);
    return made;
  };
  after(() => Promise.all(pools.map((each) => each.end())));

  for (const level of ["read committed", "serializable"]) {
    const options = { options: `-c default_transaction_isolation=${level.replace(" ", "\\ ")}` };
    const sources = server === undefined ? [] : [pool(options), pool(options)].map((each) => postgresGrants(each));
    const [source, beside] = sources;
    const given = { beside: () => beside ?? assert.fail() };
    for (const { name, run } of grantSourceSuite(() => source ?? assert.fail(), given)) {
      test(`${name} (${level})`, run);
    }
  }

  test("twenty processes that start at once on an empty database leave one schema and no error", async () => {
    const schema = "twenty";
    const program = fileURLToPath(new URL("postgres-start.mjs", import.meta.url));
    const children = Array.from({ length: 20 }, (_, index) => {
      const args = [program, server ?? assert.fail(), schema, String(index)];
      const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
      let errors = "";
      child.stderr.on("data", (text) => {
        errors += text;
      });
      return { child, ready: once(child.stdout, "data"), over: once(child, "close"), errors: () => errors };
    });
    await Promise.all(children.map(({ ready, over }) => Promise.race([ready, over])));
    for (const { child } of children) child.stdin.end("go\n");
    for (const { over, errors } of children) assert.deepEqual([(await over)[0], errors()], [0, ""]);
    const { rows } = await pool().query(
      "SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'S') ORDER BY 1",
      [schema],
    );
    assert.deepEqual(rows, [{ relname: "grants" }, { relname: "records" }, { relname: "versions" }]);
    const state = postgresState(pool(), { schema });
    assert.equal((await state.list({ app: "ack", user: "u1", session: "s1" }, "confirmation")).length, 20);
    await state[Symbol.asyncDispose]();
  });
});

const grant: Grant = {
  id: "c1/0",
  app: "ack",
  userId: "u1",
  sessionId: "",
  toolName: "delete_note",
  createdBy: "u1",
  createdAt: 1,
};
