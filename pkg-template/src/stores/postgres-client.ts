import { AckError } from "../error.js";
import { rejectUnknown } from "../names.js";
import { checkSchema } from "./postgres-schema.js";

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
  /** Where the tables are. Default "ackgate". */
  schema?: string | undefined;
  /** `false`: the tables exist, see `migration`. */
  migrate?: boolean | undefined;
  /** `false`: no LISTEN, which needs one session of its own and does not work behind PgBouncer. */
  listen?: boolean | undefined;
  /** With `listen: false`: how often sessions that somebody waits for are looked at, in ms. Default: never, the gate polls. */
  pollMs?: number | undefined;
}

const OPTIONS = ["exclusive", "schema", "migrate", "listen", "pollMs"] as const satisfies (keyof PostgresOptions)[];

/** The schema's name, when all the options are right. */
export function checkPostgres(what: string, client: Queryable, options: PostgresOptions): string {
  rejectUnknown(what, options, OPTIONS);
  if (typeof client?.query !== "function") throw bad(`${what} takes pg's Pool or a PGlite: it has no \`query\``);
  for (const name of ["exclusive", "migrate", "listen"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw bad(`\`${name}\` must be true or false`);
  }
  if (options.pollMs !== undefined && !(options.pollMs > 0))
    throw bad("`pollMs` must be a number of milliseconds over 0");
  return checkSchema(options.schema);
}

export function bad(message: string): AckError {
  return new AckError("bad_options", message);
}

/** Under a stricter isolation than PostgreSQL's default this is how "another writer was first" comes back. */
export function isSerializationFailure(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "40001";
}
