// PostgreSQL, embedded and as a server: what every store must do, and what only these can show.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { migration, postgresState, type Queryable } from "ackgate/postgres";
import { sessionStateSuite } from "ackgate/testing";
import pg from "pg";
import { freshSession, until, written } from "./store-steps.js";

const LIMIT = { timeout: 120_000 };

describe("postgresState on an embedded PGlite", LIMIT, () => {
  const memory = new PGlite();
  const state = postgresState(memory);
  after(async () => {
    await state[Symbol.asyncDispose]();
    await memory.close();
  });
  for (const { name, run } of sessionStateSuite(() => state)) test(name, run);

  test("it is exclusive and can be subscribed to", () => {
    assert.equal(state.exclusive, true);
    assert.equal(typeof state.subscribe, "function");
  });

  test("disposing it ends its subscriptions, not the client", async () => {
    const schema = "disposed";
    const heard: string[] = [];
    const session = freshSession();
    const first = postgresState(memory, { schema });
    const second = postgresState(memory, { schema });
    const subscribers = [first, second].map((each, index) =>
      each.subscribe?.(session, () => heard.push(String(index))),
    );
    await Promise.all(subscribers);
    await first[Symbol.asyncDispose]();
    await written(first, session, "c:1", "a");
    await until(() => heard.length > 0);
    assert.deepEqual(heard, ["1"]);
    await second[Symbol.asyncDispose]();
    assert.equal((await memory.query("SELECT pg_listening_channels()")).rows.length, 0);
  });

  test("disposing every state of a client ends its opening: the next one begins a new one", async () => {
    const schema = "openings";
    const session = freshSession();
    const ageIn = async (one: ReturnType<typeof postgresState>) => (await one.read(session, "c:1"))?.ageMs;
    const first = postgresState(memory, { schema });
    const beside = postgresState(memory, { schema });
    await written(first, session, "c:1", "a");
    // Twice is as good as once.
    for (let round = 0; round < 2; round++) await first[Symbol.asyncDispose]();
    const third = postgresState(memory, { schema });
    assert.notEqual(await ageIn(third), Number.MAX_SAFE_INTEGER);
    await beside[Symbol.asyncDispose]();
    await third[Symbol.asyncDispose]();
    assert.equal(await ageIn(postgresState(memory, { schema })), Number.MAX_SAFE_INTEGER);
  });

  test("states that are made at the same time make the table once", async () => {
    const { client, texts } = recorded(memory);
    const states = Array.from({ length: 4 }, () => postgresState(client, { schema: "together" }));
    const session = freshSession();
    await Promise.all(states.map((each, index) => written(each, session, `c:${index}`, "a")));
    assert.equal((await states[0]?.list(session, "confirmation"))?.length, 4);
    assert.equal(texts.filter((text) => text.includes("CREATE TABLE")).length, 1);
  });

  test("the migration can be run by hand, again and again", async () => {
    const schema = "By_Hand1";
    const { client, texts } = recorded(memory);
    const byHand = postgresState(client, { schema, migrate: false });
    await assert.rejects(byHand.read(freshSession(), "c:1"), /By_Hand1.*does not exist/);
    for (let round = 0; round < 2; round++) await memory.exec(migration({ schema }));
    const session = freshSession();
    await written(byHand, session, "c:1", "a");
    assert.equal((await byHand.read(session, "c:1"))?.record, "a");
    const heard: string[] = [];
    const leave = await byHand.subscribe?.(session, (id) => heard.push(id));
    await written(byHand, session, "c:2", "a");
    await until(() => heard.length > 0);
    leave?.();
    await byHand[Symbol.asyncDispose]();
    assert.ok(texts.every((text) => !text.includes("CREATE")));
  });

  test("a migration that fails is each operation's error, and is tried again", async () => {
    const { client, fail } = recorded(memory);
    const failing = postgresState(client, { schema: "again" });
    fail(new Error("the server is starting up"));
    await assert.rejects(failing.read(freshSession(), "c:1"), /starting up/);
    await assert.rejects(failing.write(freshSession(), "c:1", "a", undefined), /starting up/);
    fail(undefined);
    await written(failing, freshSession(), "c:1", "a");
  });

  test("without LISTEN there is no subscription, unless by looking", async () => {
    assert.equal(postgresState(memory, { listen: false }).subscribe, undefined);
    await using polling = postgresState(memory, { listen: false, pollMs: 5 });
    const session = freshSession();
    await written(polling, session, "c:1", "a");
    const heard: string[] = [];
    const leave = await polling.subscribe?.(session, (id) => heard.push(id));
    const version = await written(polling, session, "c:2", "a");
    await until(() => heard.length === 1);
    await written(polling, session, "c:2", null, version);
    await until(() => heard.length === 2);
    assert.deepEqual(heard, ["c:2", "c:2"]);
    leave?.();
  });

  test("wrong options are refused by name", () => {
    const wrong: [object, RegExp][] = [
      [{ shema: "a" }, /did you mean `schema`/],
      [{ schema: 'a"b' }, /`schema` must be/],
      [{ schema: "" }, /`schema` must be/],
      [{ listen: "no" }, /`listen` must be true or false/],
      [{ pollMs: 0 }, /`pollMs` must be/],
    ];
    for (const [options, message] of wrong) {
      assert.throws(() => postgresState(memory, options), { code: "bad_options", message });
    }
    assert.throws(() => postgresState({} as Queryable), { code: "bad_options" });
    assert.throws(() => migration({ schema: "a; DROP" }), { code: "bad_options" });
    const single = { query: memory.query.bind(memory), connect: assert.fail, options: { max: 1 } };
    assert.throws(() => postgresState(single as unknown as Queryable), /`max` of 2/);
  });

  test("a key that no index can hold is refused by name", async () => {
    const session = { ...freshSession(), session: "x".repeat(641) };
    const refused = /`session` has more than 640 bytes/;
    await assert.rejects(state.read(session, "c:1"), refused);
    await assert.rejects(state.list(session, "confirmation"), refused);
    await assert.rejects(state.write(session, "c:1", "a", undefined), refused);
    const longest = { app: "ä".repeat(320), user: "ü".repeat(320), session: "ö".repeat(320) };
    await written(state, longest, `c:${"漢".repeat(84)}`, "a");
  });
});

describe("postgresState on a folder", LIMIT, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ackgate-state-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("records survive, versions go on, and what was written before this opening is infinitely old", async () => {
    const session = freshSession();
    const first = new PGlite(folder);
    const before = postgresState(first);
    const old = await written(before, session, "c:1", "a");
    const gone = await written(before, session, "c:2", "b");
    await written(before, session, "c:2", null, gone);
    assert.ok(((await before.read(session, "c:1"))?.ageMs ?? Number.MAX_SAFE_INTEGER) < 60_000);
    // A second state of the same process opens nothing: what the first one wrote is as young as it was.
    const beside = postgresState(first);
    assert.ok(((await beside.read(session, "c:1"))?.ageMs ?? Number.MAX_SAFE_INTEGER) < 60_000);
    await first.close();

    const again = new PGlite(folder);
    const reopened = postgresState(again);
    const young = await written(reopened, session, "c:2", "again");
    const found = await reopened.list(session, "confirmation");
    assert.deepEqual(
      found.map(({ id, record, version }) => [id, record, version]),
      [
        ["c:1", "a", old],
        ["c:2", "again", young],
      ],
    );
    assert.ok(![old, gone].includes(young));
    assert.equal(found[0]?.ageMs, Number.MAX_SAFE_INTEGER);
    assert.ok((found[1]?.ageMs ?? Number.MAX_SAFE_INTEGER) < 60_000);
    await written(reopened, session, "c:1", "c", old);
    assert.ok(((await reopened.read(session, "c:1"))?.ageMs ?? Number.MAX_SAFE_INTEGER) < 60_000);

    const shared = postgresState(again, { exclusive: false });
    assert.equal(shared.exclusive, false);
    assert.ok(((await shared.read(session, "c:2"))?.ageMs ?? Number.MAX_SAFE_INTEGER) < 60_000);
    await again.close();
  });
});

const server = process.env.ACKGATE_TEST_PG;
describe("postgresState on a server", { ...LIMIT, skip: server ? false : "no PostgreSQL server was given" }, () => {
  const pools: pg.Pool[] = [];
  const pool = (options: pg.PoolConfig = {}): pg.Pool => {
    const made = new pg.Pool({ connectionString: server, ...options });
    pools.push(made);
    return made;
  };
  const main = server === undefined ? undefined : pool();
  const state = main && postgresState(main);
  const beside = main && postgresState(pool());
  after(async () => {
    await state?.[Symbol.asyncDispose]();
    await beside?.[Symbol.asyncDispose]();
    await Promise.all(pools.map((each) => each.end()));
  });
  const given = { beside: () => beside ?? assert.fail() };
  for (const { name, run } of sessionStateSuite(() => state ?? assert.fail(), given)) test(name, run);

  test("others can have it open too", () => assert.equal(state?.exclusive, false));

  test("replicas that start at once make the table once", async () => {
    const replicas = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const own = pool();
        await own.query("SELECT 1");
        return own;
      }),
    );
    for (let round = 0; round < 5; round++) {
      const session = freshSession();
      const states = replicas.map((each) => postgresState(each, { schema: `replicas_${round}` }));
      await Promise.all(states.map((each, index) => written(each, session, `c:${index}`, "a")));
      assert.equal((await states[0]?.list(session, "confirmation"))?.length, 4);
    }
  });

  for (const level of ["read committed", "repeatable read", "serializable"]) {
    test(`of writers in two processes exactly one wins: ${level}`, async () => {
      const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const writers = [pool({ options }), pool({ options })].map((each) => postgresState(each));
      const [here, there] = writers as [(typeof writers)[0], (typeof writers)[0]];
      const session = freshSession();
      let version: string | undefined;
      for (let round = 0; round < 5; round++) {
        const race = Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? here : there).write(session, "c:1", `${round} ${index}`, version),
        );
        const won = (await Promise.all(race)).flatMap((outcome) => ("version" in outcome ? [outcome.version] : []));
        assert.equal(won.length, 1);
        [version] = won;
      }

      // The race that is rarely run by chance: a write that waits for another one's lock.
      const slow = await pool().connect();
      await slow.query("BEGIN");
      await slow.query("UPDATE ackgate.records SET version = version + 1000000 WHERE session = $1", [session.session]);
      const late = here.write(session, "c:1", "late", version);
      const { rows } = await slow.query("SELECT pg_backend_pid() AS pid");
      await until(async () => {
        const blocked = await main?.query("SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))", [
          (rows[0] as { pid: number }).pid,
        ]);
        return blocked?.rowCount === 1;
      });
      await slow.query("COMMIT");
      slow.release();
      assert.deepEqual(await late, { conflict: true });
    });
  }

  test("a listening connection that is lost ends nothing, and the next subscriber has another", async () => {
    await using here = postgresState(pool({ application_name: "ackgate-lost" }));
    const session = freshSession();
    const heard: string[] = [];
    const first = await here.subscribe?.(session, (id) => heard.push(id));
    const listeners = async () =>
      (
        await main?.query("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND application_name = $1", [
          "ackgate-lost",
        ])
      )?.rows as { pid: number }[];
    for (const { pid } of await listeners()) await main?.query("SELECT pg_terminate_backend($1)", [pid]);
    await until(async () => (await listeners()).length === 0);
    await until(async () => {
      const leave = await here.subscribe?.(session, () => {});
      leave?.();
      return (await listeners()).length > 0;
    });
    await written(here, session, "c:1", "a");
    await until(() => heard.length > 0);
    first?.();
  });

  test("a pool is free to end once nobody subscribes", async () => {
    const own = new pg.Pool({ connectionString: server });
    const short = postgresState(own);
    const leave = await short.subscribe?.(freshSession(), () => {});
    leave?.();
    await own.end();
  });
});

/** The client with every statement it is given; it can be made to fail. */
function recorded(inner: PGlite): { client: Queryable; texts: string[]; fail(error: Error | undefined): void } {
  const texts: string[] = [];
  let failure: Error | undefined;
  const client: Queryable = {
    async query(text, values) {
      texts.push(text);
      if (failure) throw failure;
      return inner.query(text, values);
    },
    listen: (channel, f) => inner.listen(channel, f),
  };
  return {
    client,
    texts,
    fail(error) {
      failure = error;
    },
  };
}
