import { AckError } from "../error.js";
import { checkId, prefixOf } from "../memory.js";
import { rejectUnknown } from "../names.js";
import { pastAll } from "../order.js";
import type { SessionKey, SessionState, Versioned } from "../types.js";
import { Listening } from "./listening.js";
import { listenTo } from "./postgres-listen.js";
import { enter } from "./postgres-opening.js";
import { polled } from "./postgres-poll.js";
import { channelOf, checkSchema, statementsOf } from "./postgres-schema.js";
import { keyParts } from "./postgres-text.js";
import { decoded, encoded, wakeUp } from "./text.js";

export { migration } from "./postgres-schema.js";

/** What is needed of pg's Pool or PGlite: no `pg` types required. */
export interface Queryable {
  query(text: string, values?: unknown[]): PromiseLike<{ rows: unknown[] }>;
  /** pg's Pool: a session of its own, for LISTEN. */
  connect?(): PromiseLike<
    Pick<Queryable, "query"> & {
      on(event: "notification", f: (m: { channel: string; payload?: string | undefined }) => void): unknown;
      release(destroy?: boolean): void;
    }
  >;
  /** PGlite. */
  listen?(channel: string, f: (payload: string) => void): PromiseLike<() => PromiseLike<void>>;
}
export interface PostgresOptions {
  /** Only this process can open the database. Default: true for a PGlite. */
  exclusive?: boolean | undefined;
  /** Where the table is. Default "ackgate". */
  schema?: string | undefined;
  /** `false`: the table exists, see `migration`. */
  migrate?: boolean | undefined;
  /** `false`: no LISTEN, which needs one session of its own and does not work behind PgBouncer. */
  listen?: boolean | undefined;
  /** With `listen: false`: how often sessions that somebody waits for are looked at, in ms. Default: never, the gate polls. */
  pollMs?: number | undefined;
}
interface Row {
  readonly id: string;
  readonly record: string;
  readonly version: string;
  readonly age: number;
}

const OPTIONS = ["exclusive", "schema", "migrate", "listen", "pollMs"] as const satisfies (keyof PostgresOptions)[];

/**
 * Session state in PostgreSQL: embedded (PGlite) or a server (pg's Pool). Ids ascend by Unicode code point, errors of
 * the client pass through. Disposing it ends what it listens to; the client is yours to end.
 */
export function postgresState(client: Queryable, options: PostgresOptions = {}): SessionState & AsyncDisposable {
  const schema = check(client, options);
  const { listen = true, migrate = true, pollMs } = options;
  const exclusive = options.exclusive ?? (typeof client.listen === "function" && client.connect === undefined);
  const sql = statementsOf(schema);
  const opening = enter(client, { schema, migrate, exclusive });
  const rows = async <R>(text: string, values: unknown[]): Promise<{ rows: R[]; mark: bigint }> => {
    const mark = await opening.ready();
    return { rows: (await client.query(text, values)).rows as R[], mark };
  };
  const found = async (text: string, values: unknown[]): Promise<Versioned[]> => {
    const { rows: all, mark } = await rows<Row>(text, values);
    return all.map((row) => versioned(row, mark));
  };

  const versions = async (session: SessionKey): Promise<Map<string, string>> => {
    const { rows: all } = await rows<Row>(sql.versions, keyParts(session));
    return new Map(all.map(({ id, version }) => [decoded(id), version]));
  };
  const canListen = listen && (client.listen ?? client.connect) !== undefined;
  const listening = canListen ? new Listening(listenTo(client, channelOf(schema))) : undefined;
  const polling = listening === undefined && pollMs !== undefined ? polled(versions, pollMs) : undefined;
  const source = listening ?? polling;
  const state: SessionState = {
    exclusive,
    async read(session, id) {
      const [record] = await found(sql.read, [...keyParts(session), encoded(id)]);
      return record;
    },
    async list(session, kind, after = "") {
      const prefix = prefixOf(kind);
      return found(sql.list, [...keyParts(session), prefix, pastAll(prefix), encoded(after)]);
    },
    async write(session, id, record, ifVersion) {
      checkId(id);
      const values = [...keyParts(session), encoded(id), channelOf(schema), await wakeUp(session, id)];
      try {
        const { rows: written } = await rows<Row>(...change(values, record, ifVersion));
        return written[0] === undefined ? { conflict: true } : { version: written[0].version };
      } catch (error) {
        if (isSerializationFailure(error)) return { conflict: true };
        throw error;
      }
    },
    async *sessions(filter) {
      const prefix = prefixOf("confirmation");
      const user = filter?.user === undefined ? null : encoded(filter.user);
      let last = ["", "", ""];
      for (;;) {
        const { rows: page } = await rows<SessionKey>(sql.sessions, [prefix, pastAll(prefix), user, ...last]);
        for (const { app, user, session } of page) {
          yield { app: decoded(app), user: decoded(user), session: decoded(session) };
          last = [app, user, session];
        }
        if (page.length === 0) return;
      }
    },
    ...(source && { subscribe: (session, changed) => source.subscribe(session, changed) }),
  };
  let over = false;
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      if (!over) opening.leave();
      over = true;
      await source?.end();
    },
  });

  function change(values: unknown[], record: string | null, version: string | undefined): [string, unknown[]] {
    if (record === null) {
      return version === undefined ? [sql.absent, values.slice(0, 4)] : [sql.remove, [...values, version]];
    }
    return version === undefined
      ? [sql.create, [...values, encoded(record)]]
      : [sql.replace, [...values, encoded(record), version]];
  }
}

function versioned({ id, record, version, age }: Row, mark: bigint): Versioned {
  // INVARIANT: who wrote this before an exclusive store was opened is gone: its lease has lapsed.
  const ageMs = BigInt(version) <= mark ? Number.MAX_SAFE_INTEGER : Math.max(0, Math.floor(age));
  return { id: decoded(id), record: decoded(record), version, ageMs };
}

/** Under a stricter isolation than PostgreSQL's default this is how "another writer was first" comes back. */
function isSerializationFailure(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "40001";
}

function check(client: Queryable, options: PostgresOptions): string {
  rejectUnknown("`postgresState`", options, OPTIONS);
  if (typeof client?.query !== "function") throw bad("`postgresState` takes pg's Pool or a PGlite: it has no `query`");
  for (const name of ["exclusive", "migrate", "listen"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw bad(`\`${name}\` must be true or false`);
  }
  if (options.pollMs !== undefined && !(options.pollMs > 0))
    throw bad("`pollMs` must be a number of milliseconds over 0");
  const { max } = (client as { options?: { max?: unknown } }).options ?? {};
  if (client.connect && max === 1 && options.listen !== false)
    throw bad("a pool of one connection can't listen as well: give it a `max` of 2 or more, or `listen: false`");
  return checkSchema(options.schema);
}

function bad(message: string): AckError {
  return new AckError("bad_options", message);
}
