// Redis: what every store must do, through two clients, and what only this one can show.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { SessionKey } from "ackgate";
import { type RedisLike, redisGrants, redisState } from "ackgate/redis";
import { grantSourceSuite, sessionStateSuite } from "ackgate/testing";
import { createClient, createCluster, type RedisClientOptions } from "redis";
import { freshSession, until, written } from "./store-steps.js";

const server = process.env.ACKGATE_TEST_REDIS;
const OPTIONS = { timeout: 120_000, skip: server ? false : "no Redis server was given" };

const closing: (() => unknown)[] = [];
async function connected(options: RedisClientOptions = {}) {
  const client = createClient({ ...options, url: server ?? assert.fail() });
  client.on("error", () => {});
  await client.connect();
  closing.push(() => client.close());
  return client;
}
after(() => Promise.all(closing.map((close) => close())));

describe("redisState", OPTIONS, () => {
  const main = once(async () => redisState(await connected()));
  const other = once(async () => redisState(await connected()));
  after(async () => {
    for (const state of [await main(), await other()]) await state[Symbol.asyncDispose]();
  });
  for (const { name, run } of sessionStateSuite(main, { beside: other })) test(name, run);

  test("nobody can say that it is exclusive; durable it is by the host's word only", async () => {
    const client = await connected();
    assert.deepEqual([redisState(client).exclusive, redisState(client).durable], [undefined, false]);
    assert.equal(redisState(client, { durable: true }).durable, true);
  });

  test("states with other prefixes are apart", async () => {
    const client = await connected();
    const states = ["ackgate", "ackgate:1", "a.b_c-d"].map((prefix) => redisState(client, { prefix }));
    const session = freshSession();
    for (const [index, state] of states.entries()) await written(state, session, "c:1", String(index));
    for (const [index, state] of states.entries()) {
      assert.equal((await state.read(session, "c:1"))?.record, String(index));
      assert.equal((await sessionsOf(state, session.user)).filter((key) => key.session === session.session).length, 1);
    }
  });

  test("a session that is empty again leaves no key", async () => {
    const client = await connected();
    const state = redisState(client, { prefix: "emptied" });
    const session = freshSession();
    await written(state, session, "c:1", null, await written(state, session, "c:1", "a"));
    await written(state, session, "c:2", null);
    assert.deepEqual(await client.keys("emptied*"), []);
  });

  test("keys that others made are no sessions", async () => {
    const client = await connected();
    const state = redisState(client, { prefix: "shared" });
    for (const name of ["x", '["a"]', '["a","b","c","d"]', '["a","b",null]', '[ "a","b","c"]', "null"]) {
      await client.set(`shared:{${name}}:ids`, "of somebody else");
    }
    await written(state, { app: "a", user: "b", session: "c" }, "c:1", "x");
    assert.deepEqual(await sessionsOf(state), [{ app: "a", user: "b", session: "c" }]);
  });

  test("disposing it ends its subscriptions, not the client", async () => {
    const client = await connected({ name: "ackgate-disposed" });
    const state = redisState(client);
    const heard: string[] = [];
    const session = freshSession();
    await state.subscribe?.(session, (id) => heard.push(id));
    await state.subscribe?.(freshSession(), () => {});
    const connections = async () =>
      (await client.clientList()).filter(({ name }) => name === "ackgate-disposed").length;
    assert.equal(await connections(), 2);
    for (let round = 0; round < 2; round++) await state[Symbol.asyncDispose]();
    await until(async () => (await connections()) === 1);
    await written(state, session, "c:1", "a");
    assert.deepEqual(heard, []);
  });

  test("a listening connection that is lost comes back by itself", async () => {
    const client = await connected({ name: "ackgate-lost" });
    await using state = redisState(client);
    const session = freshSession();
    const heard: string[] = [];
    await state.subscribe?.(session, (id) => heard.push(id));
    const listeners = async () =>
      (await client.clientList()).filter(({ name, sub }) => name === "ackgate-lost" && Number(sub) > 0);
    for (const { id } of await listeners()) await client.sendCommand(["CLIENT", "KILL", "ID", String(id)]);
    await until(async () => {
      const version = (await state.read(session, "c:1"))?.version;
      await written(state, session, "c:1", "a", version);
      return heard.length > 0;
    });
  });

  test("a listener that can't connect is given up when the state is disposed", async () => {
    const away = createClient({ socket: { host: "127.0.0.1", port: 1 } });
    away.on("error", () => {});
    const state = redisState(away);
    const subscribing = state.subscribe?.(freshSession(), () => {});
    const outcome = assert.rejects(async () => subscribing);
    await state[Symbol.asyncDispose]();
    await outcome;
  });

  test("a listener is given up at any moment of its connecting, and leaves no connection", async () => {
    const client = await connected({ name: "ackgate-halfway" });
    for (let turns = 0; turns < 40; turns++) {
      const state = redisState(client);
      const subscribing = state.subscribe?.(freshSession(), () => {}).catch(() => undefined);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await state[Symbol.asyncDispose]();
      await subscribing;
    }
    await until(async () => (await client.clientList()).filter(({ name }) => name === "ackgate-halfway").length === 1);
  });

  test("without a connection of its own or a scan it does less", async () => {
    const client = await connected();
    const bare = { eval: client.eval.bind(client) } as RedisLike;
    const state = redisState(bare);
    assert.deepEqual([state.subscribe, state.sessions], [undefined, undefined]);
    await written(state, freshSession(), "c:1", "a");
    await state[Symbol.asyncDispose]();
    const all = async () => {
      for await (const grant of redisGrants(bare).list?.({ app: "a" }, {}) ?? []) assert.fail(grant.id);
    };
    await assert.rejects(all, { code: "bad_options", message: /`list` needs `app` and `userId`/ });
  });

  test("an error of the server passes through", async () => {
    const client = await connected();
    const state = redisState(client, { prefix: "wrong" });
    const session = freshSession();
    await client.set(`wrong:{${JSON.stringify([session.app, session.user, session.session])}}:records`, "a text");
    await assert.rejects(state.read(session, "c:1"), /WRONGTYPE/);
    await assert.rejects(state.write(session, "c:1", "a", undefined), /WRONGTYPE/);
  });

  test("wrong options are refused by name", async () => {
    const client = await connected();
    const wrong: [object, RegExp][] = [
      [{ prefx: "a" }, /did you mean `prefix`/],
      [{ prefix: "{}" }, /`prefix` must be/],
      [{ prefix: "" }, /`prefix` must be/],
      [{ prefix: "a*" }, /`prefix` must be/],
      [{ durable: "yes" }, /`durable` must be true or false/],
    ];
    for (const [options, message] of wrong) {
      assert.throws(() => redisState(client, options), { code: "bad_options", message });
      assert.throws(() => redisGrants(client, options), { code: "bad_options", message });
    }
    for (const client of [{}, undefined, { eval: assert.fail, defineCommand: assert.fail }]) {
      assert.throws(() => redisState(client as unknown as RedisLike), {
        code: "bad_options",
        message: /package `redis`/,
      });
    }
  });
});

describe("redisState with a client of RESP 3 that gives bytes", OPTIONS, () => {
  const state = once(async () => redisState(await bytes(), { prefix: "bytes" }));
  const bytes = async () => (await connected({ RESP: 3 })).withTypeMapping({ 36: Buffer });
  after(async () => (await state())[Symbol.asyncDispose]());
  for (const { name, run } of sessionStateSuite(state)) test(name, run);
});

describe("redisGrants", OPTIONS, () => {
  const main = once(async () => redisGrants(await connected()));
  const other = once(async () => redisGrants(await connected()));
  for (const { name, run } of grantSourceSuite(main, { beside: other })) test(name, run);
});

const clusterUrl = process.env.ACKGATE_TEST_REDIS_CLUSTER;
const skip = clusterUrl ? false : "no Redis of a cluster was given";
describe("Redis as a cluster", { ...OPTIONS, skip }, () => {
  const cluster = once(async () => {
    const node = createClient({ url: clusterUrl ?? assert.fail() });
    await node.connect();
    await node.sendCommand(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    await until(async () => /cluster_state:ok/.test(String(await node.sendCommand(["CLUSTER", "INFO"]))));
    await node.close();
    const made = createCluster({ rootNodes: [{ url: clusterUrl ?? assert.fail() }] });
    made.on("error", () => {});
    await made.connect();
    return made;
  });
  const state = once(async () => redisState(await cluster()));
  after(async () => {
    await (await state())[Symbol.asyncDispose]();
    await (await cluster()).close();
  });
  for (const { name, run } of sessionStateSuite(state)) test(name, run);
  for (const { name, run } of grantSourceSuite(async () => redisGrants(await cluster()))) test(name, run);
});

/** The first result, every time. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function sessionsOf(state: ReturnType<typeof redisState>, user?: string): Promise<SessionKey[]> {
  const found: SessionKey[] = [];
  for await (const key of state.sessions?.({ user }) ?? []) found.push(key);
  return found;
}
