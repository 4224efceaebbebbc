import { candidates, passes } from "./grants.js";
import { byCodePoint } from "./order.js";
import type { Grant, GrantSource, SessionKey, SessionState, Versioned } from "./types.js";

const PREFIX = { confirmation: "c:", question: "q:", resumption: "r:", history: "h:" } as const;

/** The id prefix of a kind of record. */
export function prefixOf(kind: keyof typeof PREFIX): string {
  return PREFIX[kind];
}

/** Ids are refused over this many bytes, in every store. */
export const MAX_ID_BYTES = 256;

export function checkId(id: string): void {
  if (new TextEncoder().encode(id).length > MAX_ID_BYTES)
    throw new RangeError(`a record id has more than ${MAX_ID_BYTES} bytes`);
}

interface Entry {
  readonly record: string;
  readonly version: number;
  readonly at: number;
}

/** Session state in this process's memory. It forgets at a restart. */
export function memoryState(): SessionState {
  const sessions = new Map<string, Map<string, Entry>>();
  const listeners = new Map<string, Set<(id: string) => void>>();
  let last = 0;
  const versioned = (id: string, entry: Entry): Versioned => ({
    id,
    record: entry.record,
    version: String(entry.version),
    ageMs: Math.max(0, Math.round(performance.now() - entry.at)),
  });
  return {
    exclusive: true,
    async read(session, id) {
      const entry = sessions.get(keyOf(session))?.get(id);
      return entry && versioned(id, entry);
    },
    async list(session, kind, after = "") {
      const entries = [...(sessions.get(keyOf(session)) ?? [])];
      return entries
        .filter(([id]) => id.startsWith(PREFIX[kind]) && byCodePoint(id, after) > 0)
        .sort(([a], [b]) => byCodePoint(a, b))
        .map(([id, entry]) => versioned(id, entry));
    },
    async write(session, id, record, ifVersion) {
      checkId(id);
      const key = keyOf(session);
      const records = sessions.get(key) ?? new Map<string, Entry>();
      const found = records.get(id);
      if ((found && String(found.version)) !== ifVersion) return { conflict: true };
      // INVARIANT: one counter for all keys, so that a version never comes back after a delete.
      const version = ++last;
      if (record === null) records.delete(id);
      else records.set(id, { record, version, at: performance.now() });
      sessions.set(key, records);
      for (const changed of [...(listeners.get(key) ?? [])]) queueMicrotask(() => changed(id));
      return { version: String(version) };
    },
    async *sessions(filter) {
      for (const [key, records] of [...sessions]) {
        const [app = "", user = "", session = ""] = JSON.parse(key) as string[];
        if (filter?.user !== undefined && filter.user !== user) continue;
        if ([...records.keys()].some((id) => id.startsWith(PREFIX.confirmation))) yield { app, user, session };
      }
    },
    async subscribe(session, changed) {
      const key = keyOf(session);
      const set = listeners.get(key) ?? new Set();
      listeners.set(key, set.add(changed));
      return () => {
        set.delete(changed);
        if (set.size === 0) listeners.delete(key);
      };
    },
  };
}

/** Grants in this process's memory. */
export function memoryGrants(): GrantSource {
  const grants = new Map<string, Grant>();
  const idOf = (grant: Grant): string => JSON.stringify([grant.app, grant.userId, grant.id]);
  return {
    lookup: (query) => candidates([...grants.values()], query),
    save(grant) {
      if (!grants.has(idOf(grant))) grants.set(idOf(grant), { ...grant });
    },
    async *list(filter) {
      for (const grant of [...grants.values()]) if (passes(grant, filter)) yield { ...grant };
    },
    revoke: async (grant) => grants.delete(idOf(grant)),
    async consume(grant) {
      const saved = grants.get(idOf(grant));
      if (!saved?.usesLeft) return false;
      saved.usesLeft -= 1;
      return true;
    },
  };
}

/** An injective text for a session's key. */
export function keyOf(session: SessionKey): string {
  return JSON.stringify([session.app, session.user, session.session]);
}
