import { candidates, passes } from "../grants.js";
import type { Grant, GrantSource } from "../types.js";
import { checkPostgres, isSerializationFailure, type PostgresOptions, type Queryable } from "./postgres-client.js";
import { enter } from "./postgres-opening.js";
import { grantStatementsOf } from "./postgres-schema.js";
import { indexed } from "./postgres-text.js";
import { encoded } from "./text.js";

interface Row {
  readonly saved: string;
  readonly uses: string | null;
}
interface Place extends Row {
  readonly app: string;
  readonly user_id: string;
  readonly id: string;
}

/** A statement that others keep overtaking is given up after so many times. */
const ATTEMPTS = 100;

/**
 * Grants in PostgreSQL, in a table beside the one of `postgresState`; they may share a client and the options. Uses are
 * taken by one statement. A grant stays until it is revoked, also when it has expired or was used up. Errors of the
 * client pass through; an id or a name of more than 640 bytes is a RangeError.
 */
export function postgresGrants(client: Queryable, options: PostgresOptions = {}): GrantSource {
  const schema = checkPostgres("`postgresGrants`", client, options);
  const sql = grantStatementsOf(schema);
  // Grants have no leases, so nothing here depends on when the database was opened.
  const opening = enter(client, { schema, migrate: options.migrate ?? true, exclusive: false });

  return {
    async lookup(query) {
      const { app, userId, toolName, sessionId } = query;
      const found = await rows<Row>(sql.lookup, [app, userId, toolName, sessionId].map(encoded));
      return candidates(found.map(grantOf), query);
    },
    async save(grant) {
      const names = [grant.sessionId, grant.toolName].map(encoded);
      await rows(sql.save, [...placeOf(grant), ...names, JSON.stringify(grant), grant.usesLeft ?? null]);
    },
    async *list(filter) {
      const wanted = [filter.app, filter.userId].map((name) => (name === undefined ? null : encoded(name)));
      let last: unknown[] = [null, null, null];
      for (;;) {
        const page = await rows<Place>(sql.list, [...wanted, ...last]);
        for (const row of page) {
          const grant = grantOf(row);
          if (passes(grant, filter)) yield grant;
          last = [row.app, row.user_id, row.id];
        }
        if (page.length === 0) return;
      }
    },
    revoke: async (grant) => (await rows(sql.revoke, placeOf(grant))).length > 0,
    consume: async (grant) => (await rows(sql.consume, placeOf(grant))).length > 0,
  };

  async function rows<R>(text: string, values: unknown[]): Promise<R[]> {
    await opening.ready();
    for (let tried = 1; ; tried++) {
      try {
        return (await client.query(text, values)).rows as R[];
      } catch (error) {
        if (!isSerializationFailure(error) || tried === ATTEMPTS) throw error;
      }
    }
  }
}

/** The key of a grant, in the order of the table's columns. */
function placeOf({ app, userId, id }: Grant): string[] {
  return [indexed("a grant's `app`", app), indexed("a grant's `userId`", userId), indexed("a grant's `id`", id)];
}

function grantOf({ saved, uses }: Row): Grant {
  return { ...(JSON.parse(saved) as Grant), ...(uses !== null && { usesLeft: Number(uses) }) };
}
