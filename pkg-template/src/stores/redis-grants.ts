import { AckError } from "../error.js";
import { candidates, passes } from "../grants.js";
import type { Grant, GrantSource } from "../types.js";
import { checkRedis, type RedisLike, type RedisOptions, tagged } from "./redis-client.js";
import { CONSUME, GRANTS, REVOKE, SAVE } from "./redis-scripts.js";
import { encoded } from "./text.js";

type Owner = Pick<Grant, "app" | "userId">;

/**
 * Grants in Redis, beside the state of `redisState` with the same `prefix`; a person's grants have one hash tag. Uses
 * are taken atomically. `list` without both `app` and `userId` looks through all keys. On a server that loses writes a use or a revoked grant may come back.
 */
export function redisGrants(client: RedisLike, options: RedisOptions = {}): GrantSource {
  const prefix = checkRedis("`redisGrants`", client, options);
  const run = (script: string, keys: string[], ...values: string[]): PromiseLike<unknown> =>
    client.eval(script, { keys, arguments: values });
  const keysOf = ({ app, userId }: Owner): [grants: string, uses: string] => {
    const tag = `${prefix}:{${JSON.stringify([app, userId])}}`;
    return [`${tag}:grants`, `${tag}:uses`];
  };
  const grantsOf = async (owner: Owner): Promise<Grant[]> => {
    const [saved, uses] = ((await run(GRANTS, keysOf(owner))) as unknown[][]).map(pairs);
    return [...(saved ?? [])].map(([id, text]) => {
      const left = uses?.get(id);
      return { ...(JSON.parse(text) as Grant), ...(left !== undefined && { usesLeft: Number(left) }) };
    });
  };
  async function* owners({ app, userId }: Partial<Owner>): AsyncGenerator<Owner> {
    if (app !== undefined && userId !== undefined) return yield { app, userId };
    if (typeof client.scan !== "function")
      throw new AckError("bad_options", "this client can't list keys: `list` needs `app` and `userId`");
    for await (const [ofApp = "", ofUser = ""] of tagged(client, prefix, 2, "grants")) {
      if ((app ?? ofApp) === ofApp && (userId ?? ofUser) === ofUser) yield { app: ofApp, userId: ofUser };
    }
  }
  return {
    lookup: async (query) => candidates(await grantsOf(query), query),
    async save(grant) {
      const uses = grant.usesLeft === undefined ? [] : [String(grant.usesLeft)];
      await run(SAVE, keysOf(grant), encoded(grant.id), JSON.stringify(grant), ...uses);
    },
    async *list(filter) {
      for await (const owner of owners(filter)) {
        for (const grant of await grantsOf(owner)) if (passes(grant, filter)) yield grant;
      }
    },
    revoke: async (grant) => Number(await run(REVOKE, keysOf(grant), encoded(grant.id))) === 1,
    async consume(grant) {
      const [, uses] = keysOf(grant);
      return Number(await run(CONSUME, [uses], encoded(grant.id))) === 1;
    },
  };
}

/** A list of names and values, one after the other. */
function pairs(list: unknown[]): Map<string, string> {
  const texts = list.map(String);
  return new Map(texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] ?? ""]] : [])));
}
