import type { HostSide } from "../internal.js";
import type { SessionKey } from "../types.js";
import { lengthened } from "./deltas.js";
import type { AnyEvent } from "./events.js";
import { fieldsOf } from "./stored.js";

/** Followers of a subscribed store hear at once, others read every second; who is later starts from the snapshot. */
const KEEP_MS = 5_000;
const MAX_WAITING = 1024 * 1024;
const PREFIX = "h:t:";

export type Entry = readonly [seq: number, event: AnyEvent];

/** Events of a run, each with the number of the last one that it stands for. */
export interface Batch {
  readonly from: number;
  readonly to: number;
  readonly events: readonly Entry[];
}

interface Waiting {
  readonly id: string;
  readonly record: string;
  readonly to: number;
}

/** A run's batches in the store: filled in memory, written when told, deleted when nobody needs them. */
export class Batches {
  /** What is no longer needed for a snapshot: it is in the stored messages. */
  saved = 0;
  readonly #host: HostSide;
  readonly #session: SessionKey;
  readonly #run: string;
  #entries: Entry[] = [];
  #from = 1;
  #size = 0;
  #mayMerge = false;
  #sending: Waiting | undefined;
  #written: { id: string; version: string; to: number; at: number }[] = [];

  constructor(host: HostSide, session: SessionKey, run: string) {
    this.#host = host;
    this.#session = session;
    this.#run = run;
  }

  /** An event that JSON does not carry is left out. */
  add(seq: number, event: AnyEvent): void {
    const size = sizeOf(event);
    if (size === undefined) return;
    const last = this.#mayMerge ? this.#entries.at(-1) : undefined;
    const longer = lengthened(last?.[1], event);
    if (longer === undefined) this.#entries.push([seq, event]);
    else this.#entries[this.#entries.length - 1] = [seq, longer];
    this.#mayMerge = true;
    this.#size += size;
    if (this.#size <= MAX_WAITING) return;
    // The store is too slow: followers elsewhere find the gap and start from a newer snapshot.
    this.#entries = [];
    this.#size = 0;
    this.#from = seq + 1;
  }

  /** What comes now is not merged with what was before. */
  cut(): void {
    this.#mayMerge = false;
  }

  /** Writes what is there now, in one batch; before it one that failed. */
  async flush(): Promise<void> {
    if (this.#sending !== undefined) await this.#send(this.#sending);
    if (this.#entries.length === 0) return;
    const to = this.#entries.at(-1)?.[0] ?? 0;
    const batch: Batch = { from: this.#from, to, events: this.#entries };
    this.#sending = { id: batchId(this.#run, to), record: JSON.stringify({ v: 1, ...batch }), to };
    this.#entries = [];
    this.#size = 0;
    this.#from = to + 1;
    await this.#send(this.#sending);
  }

  /** Deletes what is in the stored messages for long enough that no follower still has to read it. */
  async prune(saved = this.saved): Promise<void> {
    const before = this.#host.clock.now() - KEEP_MS;
    const old = this.#written.filter(({ to, at }) => to <= saved && at < before);
    this.#written = this.#written.filter((each) => !old.includes(each));
    for (const { id, version } of old) await this.#host.state.write(this.#session, id, null, version);
  }

  /** What runs before this one have left. */
  async clearOthers(): Promise<void> {
    for (const { id, version } of await this.#host.state.list(this.#session, "history", PREFIX)) {
      const other = id.startsWith(PREFIX) && !id.startsWith(`${PREFIX}${this.#run}:`);
      if (other) await this.#host.state.write(this.#session, id, null, version);
    }
  }

  async #send(batch: Waiting): Promise<void> {
    const outcome = await this.#host.state.write(this.#session, batch.id, batch.record, undefined);
    this.#sending = undefined;
    // A conflict: an earlier try had been written after all. The next run of the thread deletes it.
    if (!("version" in outcome)) return;
    this.#written.push({ id: batch.id, to: batch.to, version: outcome.version, at: this.#host.clock.now() });
  }
}

/** The batches of a run that have events after `seq`. */
export async function batchesAfter(host: HostSide, session: SessionKey, run: string, seq: number): Promise<Batch[]> {
  const found = await host.state.list(session, "history", batchId(run, seq));
  const own = found.filter(({ id }) => id.startsWith(`${PREFIX}${run}:`));
  return own.map(({ id, record }) => fieldsOf<Batch>(id, record, ({ events }) => Array.isArray(events)));
}

/** Ends in the number of its last event: a list after a number has every batch with later ones. */
function batchId(run: string, seq: number): string {
  return `${PREFIX}${run}:${String(seq).padStart(12, "0")}`;
}

function sizeOf(event: AnyEvent): number | undefined {
  try {
    return JSON.stringify(event).length;
  } catch {
    return undefined;
  }
}
