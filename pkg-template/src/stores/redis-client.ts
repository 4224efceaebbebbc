import { AckError } from "../error.js";
import { rejectUnknown } from "../names.js";

/** What is needed of the client of the package `redis`, alone or of a cluster: no `redis` types required. */
export interface RedisLike extends Partial<Scanner> {
  eval(script: string, options: { keys: string[]; arguments: string[] }): PromiseLike<unknown>;
  /** For a connection of its own, to subscribe with. Without it the gate polls. */
  duplicate?(): RedisSubscriber;
  /** A cluster's. */
  readonly masters?: readonly unknown[];
  nodeClient?(node: unknown): Scanner | PromiseLike<Scanner>;
}
/** To list sessions, and the grants of everybody. */
interface Scanner {
  scan(cursor: string, options: { MATCH: string; COUNT: number }): PromiseLike<{ cursor: unknown; keys: unknown[] }>;
}
export interface RedisSubscriber {
  readonly isOpen: boolean;
  on(event: "ready" | "reconnecting" | "error" | "end", f: () => void): unknown;
  connect(): PromiseLike<unknown>;
  subscribe(channel: string, f: (message: string) => void): PromiseLike<unknown>;
  destroy(): unknown;
}
export interface RedisOptions {
  /** Begins every key and the channel: 1 to 64 letters, digits and `_ . : -`. Default "ackgate". */
  prefix?: string | undefined;
  /**
   * Your word that an acknowledged write is never lost, which no client can find out. Default `false`: then a gate
   * warns at its start, and does not carry out what a dead run left behind.
   */
  durable?: boolean | undefined;
}

/** The prefix, checked: what is left means nothing in a key's hash tag or a pattern. */
export function checkRedis(what: string, client: RedisLike, options: RedisOptions): string {
  rejectUnknown(what, options, ["prefix", "durable"] satisfies (keyof RedisOptions)[]);
  if (typeof client?.eval !== "function" || "defineCommand" in client)
    throw new AckError(
      "bad_options",
      `${what} takes a client of the package \`redis\`, such as \`createClient()\` gives`,
    );
  const { prefix = "ackgate", durable } = options;
  if (durable !== undefined && typeof durable !== "boolean")
    throw new AckError("bad_options", "`durable` must be true or false");
  if (typeof prefix !== "string" || !/^[\w.:-]{1,64}$/.test(prefix))
    throw new AckError("bad_options", "`prefix` must be 1 to 64 letters, digits and `_ . : -`");
  return prefix;
}

/** The hash tags of so many texts whose key ends with such a name, once each; keys of somebody else are passed over. */
export async function* tagged(
  client: RedisLike,
  prefix: string,
  texts: number,
  name: string,
): AsyncGenerator<string[]> {
  const [before, behind] = [`${prefix}:{`, `}:${name}`];
  const seen = new Set<string>();
  for (const scanner of await scanners(client)) {
    let cursor = "0";
    do {
      const page = await scanner.scan?.(cursor, { MATCH: `${before}*${behind}`, COUNT: 1_000 });
      for (const key of page?.keys ?? []) {
        const tag = String(key).slice(before.length, -behind.length);
        const parts = seen.has(tag) ? undefined : partsOf(tag, texts);
        seen.add(tag);
        if (parts) yield parts;
      }
      cursor = String(page?.cursor ?? "0");
    } while (cursor !== "0");
  }
}

function partsOf(tag: string, texts: number): string[] | undefined {
  try {
    const parts: unknown = JSON.parse(tag);
    if (!Array.isArray(parts) || parts.length !== texts || parts.some((part) => typeof part !== "string"))
      return undefined;
    return JSON.stringify(parts) === tag ? parts : undefined;
  } catch {
    return undefined;
  }
}

async function scanners(client: RedisLike): Promise<readonly Partial<Scanner>[]> {
  const { masters } = client;
  return masters ? Promise.all(masters.map(async (node) => client.nodeClient?.(node) ?? {})) : [client];
}
