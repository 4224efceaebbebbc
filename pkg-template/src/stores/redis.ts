import { checkId, keyOf, prefixOf } from "../memory.js";
import { pastAll } from "../order.js";
import { randomText } from "../random.js";
import type { SessionKey, SessionState, Versioned } from "../types.js";
import { Listening } from "./listening.js";
import { checkRedis, type RedisLike, type RedisOptions, tagged } from "./redis-client.js";
import { listenTo } from "./redis-listen.js";
import { ANY, LIST, READ, WRITE } from "./redis-scripts.js";
import { decoded, encoded, wakeUp } from "./text.js";

export type { RedisLike, RedisOptions, RedisSubscriber } from "./redis-client.js";
export { redisGrants } from "./redis-grants.js";

/**
 * Session state in a Redis 5 or later, or what speaks like one, through a connected client of the package `redis`. The
 * keys of a session have one hash tag: a cluster will do. Ids ascend by Unicode code point, ages go by the server's
 * clock, errors of the client pass through. Keys never expire: the server must not evict them (`maxmemory-policy
 * noeviction`). Disposing it ends what it listens to; the client is yours to close.
 *
 * `durable: true` is for a server that has every write on disk before it answers (`appendonly yes`, `appendfsync
 * always`) and from which nothing fails over to an asynchronous replica. A lost write is a lost approval, or a claim
 * that somebody else makes again.
 */
export function redisState(client: RedisLike, options: RedisOptions = {}): SessionState & AsyncDisposable {
  const prefix = checkRedis("`redisState`", client, options);
  const channel = `${prefix}:changes`;
  const listener = listenTo(client, channel);
  const listening = listener && new Listening(listener.listen);
  const run = (script: string, keys: string[], ...values: string[]): PromiseLike<unknown> =>
    client.eval(script, { keys, arguments: values });

  const state: SessionState = {
    durable: options.durable ?? false,
    async read(session, id) {
      const [found] = versioned(await run(READ, keysOf(prefix, session), encoded(id)));
      return found;
    },
    async list(session, kind, after = "") {
      const first = prefixOf(kind);
      const from = after >= first ? `(${encoded(after)}` : `[${first}`;
      return versioned(await run(LIST, keysOf(prefix, session), from, `(${pastAll(first)}`));
    },
    async write(session, id, record, ifVersion) {
      checkId(id);
      if (ifVersion === "") return { conflict: true };
      // Random: a counter would go back when a fail-over forgets, and give a version twice.
      const version = randomText();
      const values = [encoded(id), ifVersion ?? "", channel, await wakeUp(session, id), version];
      const written = await run(
        WRITE,
        keysOf(prefix, session),
        ...values,
        ...(record === null ? [] : [encoded(record)]),
      );
      return Number(written) === 1 ? { version } : { conflict: true };
    },
    ...(listening && { subscribe: (session, changed) => listening.subscribe(session, changed) }),
    ...(typeof client.scan === "function" && {
      async *sessions(filter) {
        const first = prefixOf("confirmation");
        for await (const [app = "", user = "", session = ""] of tagged(client, prefix, 3, "ids")) {
          if (filter?.user !== undefined && filter.user !== user) continue;
          const [, ids] = keysOf(prefix, { app, user, session });
          if (Number(await run(ANY, [ids], `[${first}`, `(${pastAll(first)}`)) > 0) yield { app, user, session };
        }
      },
    }),
  };
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      const ended = listening?.end();
      listener?.quit();
      await ended;
    },
  });
}

function keysOf(prefix: string, session: SessionKey): [records: string, ids: string] {
  // JSON is injective, and escapes what can't be sent.
  const tag = `${prefix}:{${keyOf(session)}}`;
  return [`${tag}:records`, `${tag}:ids`];
}

function versioned(reply: unknown): Versioned[] {
  const [seconds = "", micros = "", ...rest] = (reply as unknown[]).map(String);
  const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  return Array.from({ length: rest.length / 2 }, (_, index) => {
    const [id = "", text = ""] = rest.slice(2 * index, 2 * index + 2);
    const [, version = "", at = "", record = ""] = /^(\S+) (\d+) (.*)$/s.exec(text) ?? [];
    return { id: decoded(id), record: decoded(record), version, ageMs: Math.max(0, now - Number(at)) };
  });
}
