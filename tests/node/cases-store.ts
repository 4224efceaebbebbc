// The store of a world: what is left when a process is gone, in memory and in an embedded PostgreSQL.
import { after, before } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { memoryState, type SessionState, type Versioned } from "ackgate";
import { postgresState } from "ackgate/postgres";

export type StoreName = "memory" | "PGlite";

export interface Store {
  readonly state: SessionState;
  /** As the next process opens it: the leases of those before have lapsed. */
  reopen(): Promise<void>;
  end(): Promise<void>;
}

export function createStore(name: StoreName): Store {
  return name === "memory" ? inMemory() : embedded();
}

/** One memory for all its openings, which alone would not outlive its process. */
function inMemory(): Store {
  const memory = memoryState();
  let written = new Set<string>();
  const aged = <V extends Versioned>(found: V): V =>
    written.has(found.version) ? found : { ...found, ageMs: Number.MAX_SAFE_INTEGER };
  const state: SessionState = {
    ...memory,
    async read(...args) {
      const found = await memory.read(...args);
      return found && aged(found);
    },
    list: async (...args) => (await memory.list(...args)).map(aged),
    async write(...args) {
      const done = await memory.write(...args);
      if ("version" in done) written.add(done.version);
      return done;
    },
  };
  return {
    state,
    async reopen() {
      written = new Set();
    },
    async end() {},
  };
}

const database = new PGlite();
let schemas = 0;
before(() => database.waitReady);
after(() => database.close());

function embedded(): Store {
  const schema = `cases_${++schemas}`;
  let state = postgresState(database, { schema });
  const end = async () => state[Symbol.asyncDispose]();
  return {
    get state() {
      return state;
    },
    async reopen() {
      await end();
      state = postgresState(database, { schema });
    },
    end,
  };
}
