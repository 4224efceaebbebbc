import { AckError } from "./error.js";
import { isObject } from "./json.js";
import { prefixOf } from "./memory.js";

/** A record as the table has it; fields of somebody else stay. */
export interface Entry {
  readonly record: string;
  readonly version: string;
  /** ms since the epoch. */
  readonly writtenAt: number;
}

const CONFIRMATION = prefixOf("confirmation");
/** Begins the name of an id that is of no kind. */
const NO_KIND = "::";

/**
 * An id's name in the table, injectively: a confirmation's without its kind, any other as it is. A confirmation whose
 * name would look like an id of some kind keeps its own.
 */
export function nameOf(id: string): string {
  const bare = id.slice(CONFIRMATION.length);
  if (id.startsWith(CONFIRMATION) && !hasKind(bare)) return bare;
  return hasKind(id) && !id.startsWith(NO_KIND) ? id : NO_KIND + id;
}

/** The id again. */
export function idOf(name: string): string {
  if (name.startsWith(NO_KIND)) return name.slice(NO_KIND.length);
  return hasKind(name) ? name : CONFIRMATION + name;
}

function hasKind(name: string): boolean {
  return name[1] === ":";
}

/** A table's records by name; none when there is no table. Throws `state_corrupt`. */
export function parsed(table: string | null | undefined): Map<string, Entry> {
  if (table === undefined || table === null) return new Map();
  try {
    const records: unknown = JSON.parse(table);
    const entries = isObject(records) ? Object.entries(records) : [];
    if (isObject(records) && entries.every(([, entry]) => isEntry(entry))) return new Map(entries as [string, Entry][]);
  } catch {
    // As good as a table of another form.
  }
  throw new AckError("state_corrupt", "the session's table of confirmations can't be read; it was left as it is");
}

/** The table's text; undefined when it is empty. */
export function text(table: ReadonlyMap<string, Entry>): string | undefined {
  return table.size === 0 ? undefined : JSON.stringify(Object.fromEntries(table));
}

function isEntry(value: unknown): value is Entry {
  if (!isObject(value)) return false;
  const { record, version, writtenAt } = value as Partial<Entry>;
  return typeof record === "string" && typeof version === "string" && Number.isFinite(writtenAt);
}
