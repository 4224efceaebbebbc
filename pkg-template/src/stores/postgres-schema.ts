import { AckError } from "../error.js";
import { rejectUnknown } from "../names.js";

/** The schema's name, checked: what is left needs no escaping anywhere. */
export function checkSchema(schema = "ackgate"): string {
  if (typeof schema === "string" && /^\w{1,48}$/.test(schema)) return schema;
  throw new AckError("bad_options", "`schema` must be 1 to 48 letters, digits and underscores");
}

/** Where changes are told. In lower case: PGlite folds the names of channels. */
export function channelOf(schema: string): string {
  return `ackgate_${schema.toLowerCase()}`;
}

/**
 * The SQL that makes the tables, as one statement that can be run again. Replicas that start at once wait for each other
 * in it; where they exist it needs no right to create anything.
 */
export function migration(options: { schema?: string | undefined } = {}): string {
  rejectUnknown("`migration`", options, ["schema"]);
  const schema = checkSchema(options.schema);
  return `DO $ackgate$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ackgate'), hashtext('${schema}'));
  IF to_regnamespace('"${schema}"') IS NULL THEN
    CREATE SCHEMA "${schema}";
  END IF;
  IF to_regclass('"${schema}".versions') IS NULL THEN
    CREATE SEQUENCE "${schema}".versions;
  END IF;
  IF to_regclass('"${schema}".records') IS NULL THEN
    CREATE TABLE "${schema}".records (
      app text COLLATE "C" NOT NULL,
      "user" text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      record text NOT NULL,
      version bigint NOT NULL,
      written_at timestamptz NOT NULL,
      PRIMARY KEY (app, "user", session, id)
    );
  END IF;
  IF to_regclass('"${schema}".grants') IS NULL THEN
    CREATE TABLE "${schema}".grants (
      app text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      session_id text COLLATE "C" NOT NULL,
      tool_name text COLLATE "C" NOT NULL,
      saved text NOT NULL,
      uses_left bigint,
      PRIMARY KEY (app, user_id, id)
    );
  END IF;
END $ackgate$`;
}

/** Every statement on records, each of them whole: no transaction, so no session of its own, is ever needed. */
export function statementsOf(schema: string) {
  const table = `"${schema}".records`;
  // INVARIANT: one sequence for all keys, so that a version never comes back after a delete.
  const next = `nextval('"${schema}".versions')`;
  const session = `app = $1 AND "user" = $2 AND session = $3`;
  const record = `${session} AND id = $4`;
  const age = "(extract(epoch FROM clock_timestamp() - written_at) * 1000)::float8 AS age";
  const select = `SELECT id, record, version::text AS version, ${age} FROM ${table}`;
  // Notified by the statement that changed, so never about a change that was not committed.
  const told = (change: string): string =>
    `WITH changed AS (${change}) SELECT version::text AS version, pg_notify($5, $6) FROM changed`;
  return {
    mark: `SELECT (CASE WHEN is_called THEN last_value ELSE last_value - 1 END)::text AS mark FROM "${schema}".versions`,
    read: `${select} WHERE ${record}`,
    list: `${select} WHERE ${session} AND id >= $4 AND id < $5 AND id > $6 ORDER BY id`,
    sessions: `SELECT DISTINCT app, "user", session FROM ${table} WHERE id >= $1 AND id < $2
      AND ($3::text IS NULL OR "user" = $3) AND ($4::text IS NULL OR (app, "user", session) > ($4, $5, $6))
      ORDER BY app, "user", session LIMIT 100`,
    versions: `SELECT id, version::text AS version FROM ${table} WHERE ${session}`,
    absent: `SELECT ${next}::text AS version WHERE NOT EXISTS (SELECT FROM ${table} WHERE ${record})`,
    create: told(`INSERT INTO ${table} (app, "user", session, id, record, version, written_at)
      VALUES ($1, $2, $3, $4, $7, ${next}, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING version`),
    replace: told(`UPDATE ${table} SET record = $7, version = ${next}, written_at = clock_timestamp()
      WHERE ${record} AND version::text = $8 RETURNING version`),
    remove: told(`DELETE FROM ${table} WHERE ${record} AND version::text = $7 RETURNING ${next} AS version`),
  };
}

/** Every statement on grants. */
export function grantStatementsOf(schema: string) {
  const table = `"${schema}".grants`;
  const grant = "app = $1 AND user_id = $2 AND id = $3";
  return {
    lookup: `SELECT saved, uses_left::text AS uses FROM ${table}
      WHERE app = $1 AND user_id = $2 AND tool_name = $3 AND session_id IN ($4, '') ORDER BY session_id = '', id`,
    save: `INSERT INTO ${table} (app, user_id, id, session_id, tool_name, saved, uses_left)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    list: `SELECT app, user_id, id, saved, uses_left::text AS uses FROM ${table}
      WHERE ($1::text IS NULL OR app = $1) AND ($2::text IS NULL OR user_id = $2)
      AND ($3::text IS NULL OR (app, user_id, id) > ($3, $4, $5)) ORDER BY app, user_id, id LIMIT 100`,
    revoke: `DELETE FROM ${table} WHERE ${grant} RETURNING 1 AS done`,
    consume: `UPDATE ${table} SET uses_left = uses_left - 1 WHERE ${grant} AND uses_left > 0 RETURNING 1 AS done`,
  };
}
