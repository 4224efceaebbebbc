import { pause, within } from "./clock.js";
import * as engine from "./engine.js";
import { AckError, messageOf, StoreTimeout } from "./error.js";
import { keyOf } from "./memory.js";
import type { Settings } from "./settings.js";
import type { SessionKey, Versioned } from "./types.js";
import type { Command, Event, Moment, Resumption, ResumptionEvent, Stored, View } from "./wasm/types.js";
import { Watch, type Watchers } from "./watch.js";

/** A write that another writer beat so often in a row is given up. */
const ATTEMPTS = 50;
/** A write at which the store fails is tried so often, over less than a second. */
const WRITES = 5;
/** So many sessions are remembered for a sweep of a store that can't list them. */
const SEEN = 10_000;

/** What a change made of a record. */
export interface Changed {
  readonly view: View;
  readonly commands: readonly Command[];
}

/** The store as the gate uses it: every call bounded in time, every change load, reduce, save if unchanged. */
export class Records {
  readonly #settings: Settings;
  readonly #watchers: Watchers = new Map();
  readonly #seen = new Map<string, SessionKey>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async view(key: SessionKey, confirmationId: string): Promise<View | undefined> {
    const found = await this.#read(key, `c:${confirmationId}`);
    return found && this.#viewOf(found);
  }

  /** Every confirmation of a session, in the order of ids. A record that can't be read is an error. */
  async views(key: SessionKey): Promise<View[]> {
    return (await this.#list(key)).map((found) => this.#viewOf(found));
  }

  /** The same, as the core's survey reads them. */
  async stored(key: SessionKey): Promise<Stored[]> {
    return (await this.#list(key)).map(({ id, record, ageMs }) => ({ confirmationId: id.slice(2), record, ageMs }));
  }

  /**
   * Applies one event. The commands are for the caller: only the writer whose save succeeded gets them. `alive`: this
   * instance knows that the record's owner is, however old its lease.
   */
  async change(key: SessionKey, confirmationId: string, event: Event, alive = false): Promise<Changed> {
    const id = `c:${confirmationId}`;
    return this.#retried(async (over) => {
      const found = await this.#read(key, id);
      if (!found && event.type !== "request") {
        throw new AckError("not_found", `there is no confirmation \`${confirmationId}\` in this session`);
      }
      const reduced = engine.reduce(found?.record, event, this.moment(alive ? 0 : found?.ageMs));
      const { commands, record = reduced.tombstone } = reduced;
      const text = record === undefined ? found?.record : JSON.stringify(record);
      if (text === undefined) throw new AckError("internal", "a change made no record");
      if (record !== undefined && !(await this.#save(key, id, record, found?.version, over))) return undefined;
      return {
        view: engine.view(text, this.#settings.app, this.moment(record === undefined ? found?.ageMs : 0)),
        commands,
      };
    });
  }

  /** Throws what `change` would throw about the event, and changes nothing. */
  async weigh(key: SessionKey, confirmationId: string, event: Event): Promise<void> {
    const found = await this.#read(key, `c:${confirmationId}`);
    engine.reduce(found?.record, event, this.moment(found?.ageMs));
  }

  async resumption(key: SessionKey, id: string): Promise<Resumption | undefined> {
    const found = await this.#read(key, `r:${id}`);
    return found && (JSON.parse(found.record) as Resumption);
  }

  async changeResumption(key: SessionKey, id: string, event: ResumptionEvent): Promise<Resumption> {
    return this.#retried(async (over) => {
      const found = await this.#read(key, `r:${id}`);
      const record = engine.reduceResumption(found?.record, event, this.moment(found?.ageMs));
      return (await this.#save(key, `r:${id}`, record, found?.version, over)) ? record : undefined;
    });
  }

  /**
   * Reads a record again and again until `done` gives something: after every change that is heard of, when a deadline
   * or a lease in it ends, and every `pollMs` in any case. A store that fails meanwhile is logged, the waiting goes on.
   * Throws the reason of `stop`.
   */
  async until<T>(
    key: SessionKey,
    confirmationId: string,
    done: (view: View | undefined) => T | undefined,
    stop: AbortSignal,
  ): Promise<T> {
    const watch = new Watch(this.#settings, this.#watchers, key, `c:${confirmationId}`);
    const stopped = (): void => watch.wake();
    stop.addEventListener("abort", stopped);
    try {
      while (true) {
        watch.reset();
        stop.throwIfAborted();
        const view = await this.#patientView(key, confirmationId);
        stop.throwIfAborted();
        const result = view === null ? undefined : done(view);
        if (result !== undefined) return result;
        await watch.next(view ? this.#nextChange(view) : undefined);
      }
    } finally {
      stop.removeEventListener("abort", stopped);
      watch.close();
    }
  }

  /** Now, and again after every change to an id that begins so, as far as it is heard of, and every `pollMs` in any case, until `stop`. */
  async *changes(key: SessionKey, begins: string, stop: AbortSignal): AsyncGenerator<undefined> {
    const watch = new Watch(this.#settings, this.#watchers, key, begins);
    const stopped = (): void => watch.wake();
    stop.addEventListener("abort", stopped);
    try {
      while (!stop.aborted) {
        watch.reset();
        yield undefined;
        if (!stop.aborted) await watch.next();
      }
    } finally {
      stop.removeEventListener("abort", stopped);
      watch.close();
    }
  }

  /** Null: the store failed. */
  async #patientView(key: SessionKey, confirmationId: string): Promise<View | undefined | null> {
    try {
      return await this.view(key, confirmationId);
    } catch (error) {
      if (AckError.is(error) && error.code === "state_corrupt") throw error;
      this.#settings.logger.warn("the store failed while a call waits; it goes on waiting", {
        error: messageOf(error),
      });
      return null;
    }
  }

  /** Makes what waits for this record read it now. */
  wake(key: SessionKey, confirmationId: string): void {
    this.#notify(key, `c:${confirmationId}`);
  }

  /** When the record means something else without being written, in ms from now. */
  #nextChange({ stage, payload: { expiresAt }, lapsesInMs }: View): number {
    const deadline = stage === "pending" && expiresAt !== undefined ? expiresAt - this.moment().nowMs : Infinity;
    return Math.max(1, Math.min(deadline, lapsesInMs ?? Infinity));
  }

  moment(ageMs = 0): Moment {
    return {
      nowMs: Math.floor(this.#settings.clock.now()),
      ageMs: Math.max(0, Math.floor(ageMs)),
      leaseMs: Math.ceil(this.#settings.leaseMs),
    };
  }

  #viewOf({ record, ageMs }: Versioned): View {
    return engine.view(record, this.#settings.app, this.moment(ageMs));
  }

  #read(key: SessionKey, id: string): Promise<Versioned | undefined> {
    return this.#bounded(this.#settings.state.read(key, id));
  }

  /** The sessions this instance has written to. */
  seen(): readonly SessionKey[] {
    return [...this.#seen.values()];
  }

  #list(key: SessionKey): Promise<Versioned[]> {
    return this.#bounded(this.#settings.state.list(key, "confirmation"));
  }

  /**
   * Saves what an event made of a record; false: another writer was first. A store that fails may have written all the
   * same: it is asked again, and the write is known by its id.
   */
  async #save(
    key: SessionKey,
    id: string,
    record: object,
    version: string | undefined,
    over: AbortSignal,
  ): Promise<boolean> {
    const writeId = engine.freshId();
    const text = JSON.stringify({ ...record, writeId });
    const stands = async (): Promise<boolean> => {
      const found = await this.#read(key, id);
      return found !== undefined && (JSON.parse(found.record) as { writeId?: unknown }).writeId === writeId;
    };
    for (let tried = 1; ; tried++) {
      try {
        return (await this.#write(key, id, text, version)) || (tried > 1 && (await stands()));
      } catch (error) {
        if (tried === WRITES || over.aborted) throw error;
        this.#settings.logger.warn("the store failed at a write, it is asked again", { error: messageOf(error) });
        await pause(this.#settings.clock, 50 * 2 ** (tried - 1));
        if (over.aborted) throw error;
      }
    }
  }

  /** False: another writer was first. */
  async #write(key: SessionKey, id: string, text: string, version: string | undefined): Promise<boolean> {
    const written = await this.#bounded(this.#settings.state.write(key, id, text, version));
    if ("conflict" in written) return false;
    this.#see(key);
    this.#notify(key, id);
    return true;
  }

  #see(key: SessionKey): void {
    this.#seen.set(keyOf(key), key);
    const oldest = this.#seen.size > SEEN ? this.#seen.keys().next().value : undefined;
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  #notify(key: SessionKey, id: string): void {
    for (const changed of [...(this.#watchers.get(keyOf(key)) ?? [])]) changed(id);
  }

  #bounded<T>(work: Promise<T>): Promise<T> {
    const { clock, storeTimeoutMs } = this.#settings;
    return within(clock, storeTimeoutMs, work, () => {
      throw new StoreTimeout(storeTimeoutMs);
    });
  }

  /** Bounded in time as a whole: whoever waits for the store hears of it. */
  async #retried<T>(attempt: (over: AbortSignal) => Promise<T | undefined>): Promise<T> {
    const { clock, storeTimeoutMs } = this.#settings;
    const over = new AbortController();
    return within(clock, storeTimeoutMs, this.#attempts(attempt, over.signal), () => {
      over.abort();
      throw new StoreTimeout(storeTimeoutMs);
    });
  }

  async #attempts<T>(attempt: (over: AbortSignal) => Promise<T | undefined>, over: AbortSignal): Promise<T> {
    for (let tried = 0; tried < ATTEMPTS && !over.aborted; tried++) {
      const result = await attempt(over);
      if (result !== undefined) return result;
      // The first losers go on at once; who keeps losing steps back at random.
      if (tried > 2) await pause(this.#settings.clock, Math.random() * 10);
    }
    throw new AckError("conflict", `other writers were first ${ATTEMPTS} times in a row; try again`);
  }
}
