import { checkId, prefixOf } from "../memory.js";
import { pastAll } from "../order.js";
import type { SessionKey, SessionState, Versioned } from "../types.js";
import { Listening } from "./listening.js";
import { bad, checkPostgres, isSerializationFailure, type PostgresOptions, type Queryable } from "./postgres-client.js";
import { listenTo } from "./postgres-listen.js";
import { enter } from "./postgres-opening.js";
import { polled } from "./postgres-poll.js";
import { channelOf, statementsOf } from "./postgres-schema.js";
import { keyParts } from "./postgres-text.js";
import { decoded, encoded, wakeUp } from "./text.js";

export type { PostgresOptions, Queryable } from "./postgres-client.js";
export { postgresGrants } from "./postgres-grants.js";
export { migration } from "./postgres-schema.js";

interface Row {
  readonly id: string;
  readonly record: string;
  readonly version: string;
  readonly age: number;
}

/**
 * Session state in PostgreSQL: embedded (PGlite) or a server (pg's Pool). Ids ascend by Unicode code point, errors of
 * the client pass through. Disposing it ends what it listens to; the client is yours to end.
 */
export function postgresState(client: Queryable, options: PostgresOptions = {}): SessionState & AsyncDisposable {
  const schema = checkPostgres("`postgresState`", client, options);
  const { max } = (client as { options?: { max?: unknown } }).options ?? {};
  if (client.connect && max === 1 && options.listen !== false)
    throw bad("a pool of one connection can't listen as well: give it a `max` of 2 or more, or `listen: false`");
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
      let last: unknown[] = [null, null, null];
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
