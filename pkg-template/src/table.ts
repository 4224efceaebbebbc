import { AckError } from "./error.js";
import { checkId, keyOf, prefixOf } from "./memory.js";
import { byCodePoint } from "./order.js";
import { randomText } from "./random.js";
import { type Entry, idOf, nameOf, parsed, text } from "./table-text.js";
import type { SessionKey, SessionState, Versioned } from "./types.js";
import { STATE_KEY } from "./words.js";

/** A host's session store: a text for a session and a key. `set` with undefined removes it. */
export interface SessionMap {
  get(session: SessionKey, key: string): Promise<string | undefined>;
  set(session: SessionKey, key: string, value: string | undefined): Promise<void>;
}
/** What all states of one map share in this process. */
interface Shared {
  readonly turns: Map<string, Promise<unknown>>;
  readonly listeners: Map<string, Set<(id: string) => void>>;
}

const sharedBy = new WeakMap<object, Shared>();

/**
 * For hosts whose session store is a map: a session's records are one JSON object under STATE_KEY, confirmations by
 * their id, each `{record, version, writtenAt}` with the time in ms since the epoch by this host's clock. A change costs
 * as much as the table is long.
 *
 * A map can't compare and set, so only one process may write a session: its writes wait for each other here, and
 * nothing waits for another process. For the same reason it does not say `exclusive`: no map can tell whether an older
 * process still writes, so what that one holds is waited for as long as its lease. A `set` that was answered must
 * survive a restart. A table that can't be read is an error (`state_corrupt`) and stays as it is; errors of the map pass
 * through.
 */
export function tableState(map: SessionMap): SessionState {
  if (typeof map?.get !== "function" || typeof map.set !== "function")
    throw new AckError(
      "bad_options",
      "`tableState` takes a map with `get(session, key)` and `set(session, key, value)`",
    );
  const shared = sharedBy.get(map) ?? { turns: new Map(), listeners: new Map() };
  sharedBy.set(map, shared);
  const { listeners } = shared;
  const load = async (session: SessionKey): Promise<Map<string, Entry>> => parsed(await map.get(session, STATE_KEY));

  return {
    async read(session, id) {
      const entry = (await load(session)).get(nameOf(id));
      return entry && versioned(id, entry);
    },
    async list(session, kind, after = "") {
      const records = [...(await load(session))].map(([name, entry]) => versioned(idOf(name), entry));
      return records
        .filter(({ id }) => id.startsWith(prefixOf(kind)) && byCodePoint(id, after) > 0)
        .sort((a, b) => byCodePoint(a.id, b.id));
    },
    async write(session, id, record, ifVersion) {
      checkId(id);
      const key = keyOf(session);
      const written = await inTurn(shared.turns, key, async () => {
        const table = await load(session);
        if (table.get(nameOf(id))?.version !== ifVersion) return undefined;
        // Random: a counter would be lost with the last record, and give a version twice.
        const version = randomText();
        if (record === null) table.delete(nameOf(id));
        else table.set(nameOf(id), { record, version, writtenAt: Date.now() });
        await map.set(session, STATE_KEY, text(table));
        return version;
      });
      if (written === undefined) return { conflict: true };
      for (const changed of [...(listeners.get(key) ?? [])]) queueMicrotask(() => changed(id));
      return { version: written };
    },
    async subscribe(session, changed) {
      const key = keyOf(session);
      const subscriber = (id: string): void => changed(id);
      const set = listeners.get(key) ?? new Set();
      listeners.set(key, set.add(subscriber));
      return () => {
        set.delete(subscriber);
        if (set.size === 0) listeners.delete(key);
      };
    },
  };
}

function versioned(id: string, { record, version, writtenAt }: Entry): Versioned {
  return { id, record, version, ageMs: Math.max(0, Math.floor(Date.now() - writtenAt)) };
}

/** INVARIANT: one change of a table at a time, from its reading to its writing; a failed one holds up nobody. */
async function inTurn<T>(turns: Map<string, Promise<unknown>>, key: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key);
  const turn = before === undefined ? work() : before.then(work, work);
  turns.set(key, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
  }
}
