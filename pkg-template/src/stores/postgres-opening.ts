import type { Queryable } from "./postgres-client.js";
import { migration, statementsOf } from "./postgres-schema.js";

interface Way {
  readonly schema: string;
  readonly migrate: boolean;
  readonly exclusive: boolean;
}

const openings = new WeakMap<object, Map<string, Opening>>();

/** Enters what is open on a client, or opens it: states that share a client share its one opening. */
export function enter(client: Queryable, way: Way): Opening {
  const all = openings.get(client) ?? new Map<string, Opening>();
  openings.set(client, all);
  const name = JSON.stringify([way.schema, way.migrate, way.exclusive]);
  const opening = all.get(name) ?? new Opening(client, way, () => all.delete(name));
  all.set(name, opening);
  return opening.enter();
}

/** The time from a client's first state to its last one: the table is made once, the mark is read once. */
export class Opening {
  readonly #client: Queryable;
  readonly #way: Way;
  readonly #closed: () => void;
  #inside = 0;
  #ready: Promise<bigint> | undefined;

  constructor(client: Queryable, way: Way, closed: () => void) {
    this.#client = client;
    this.#way = way;
    this.#closed = closed;
  }

  enter(): this {
    this.#inside++;
    return this;
  }

  leave(): void {
    if (--this.#inside === 0) this.#closed();
  }

  /** The newest version from before this opening, -1 unless exclusive. What failed is tried again the next time. */
  ready(): Promise<bigint> {
    this.#ready ??= this.#open().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #open(): Promise<bigint> {
    const { schema, migrate, exclusive } = this.#way;
    if (migrate) await this.#client.query(migration({ schema }));
    if (!exclusive) return -1n;
    // INVARIANT: before the first write, which waits for this: what this opening writes is newer than the mark.
    const { rows } = await this.#client.query(statementsOf(schema).mark);
    return BigInt((rows[0] as { mark: string }).mark);
  }
}
