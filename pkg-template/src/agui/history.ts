import { AckError, messageOf } from "../error.js";
import type { HostSide } from "../internal.js";
import type { SessionKey } from "../types.js";
import type { AnyEvent, AnyMessage } from "./events.js";
import { type Position, RunLog } from "./log.js";
import { fieldsOf } from "./stored.js";
import { Transcript } from "./transcript.js";

const ID = "h:messages";
const ATTEMPTS = 8;

export interface StoredHistory {
  readonly messages: readonly AnyMessage[];
  /** How the last run that ended by itself ended. */
  readonly outcome?: unknown;
  /** The run that wrote this, and how far it was. */
  readonly at?: Position | undefined;
}
type Stored = StoredHistory & { readonly version: string | undefined };

/** The stored messages of a thread; a record this version cannot read is an error, and never overwritten. */
export async function readHistory(host: HostSide, session: SessionKey): Promise<Stored> {
  const found = await host.state.read(session, ID);
  if (found === undefined) return { messages: [], version: undefined };
  const stored = fieldsOf<StoredHistory>(ID, found.record, ({ messages }) => Array.isArray(messages));
  return { ...stored, version: found.version };
}

/** One run's hand on the thread's history: writes are one after another and never fail the run. */
export class History {
  readonly transcript: Transcript;
  readonly runLog: RunLog;
  readonly #host: HostSide;
  readonly #session: SessionKey;
  #version: string | undefined;
  #written = "";
  #wanted = false;
  #unreadable = false;
  #writes: Promise<void> = Promise.resolve();

  constructor(host: HostSide, session: SessionKey, recovered: boolean) {
    this.#host = host;
    this.#session = session;
    this.transcript = new Transcript(host.eventName);
    this.runLog = new RunLog(host, session, recovered);
  }

  async load(): Promise<void> {
    try {
      const stored = await readHistory(this.#host, this.#session);
      this.transcript.stored = stored;
      this.#version = stored.version;
    } catch (error) {
      if (AckError.is(error) && error.code === "state_corrupt") this.#unreadable = true;
      throw error;
    }
  }

  /** Stores what is known, and shows the run to other processes. */
  begin(): void {
    void this.save().then(() => this.runLog.open());
  }

  /** True when the thread is now worth saving. */
  take(event: AnyEvent): boolean {
    this.runLog.append(event);
    return this.transcript.apply(event);
  }

  /** Resolves when everything is stored, or the failure is logged. */
  end(terminal: AnyEvent): Promise<void> {
    this.take(terminal);
    return this.save().then(() => this.runLog.close(terminal));
  }

  /** Resolves when what is known now is stored, or the failure is logged. */
  save(): Promise<void> {
    this.#wanted = true;
    this.#writes = this.#writes.then(async () => {
      if (!this.#wanted) return;
      this.#wanted = false;
      await this.#write().catch((error) => this.log(error));
    });
    return this.#writes;
  }

  log(error: unknown): void {
    const fields = { sessionId: this.#session.session, error: messageOf(error) };
    this.#host.logger.warn("the thread's history was not stored or read", fields);
  }

  async #write(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (this.#unreadable) return;
      const { messages, outcome } = this.transcript;
      const known = JSON.stringify({ v: 1, messages, outcome });
      if (known === this.#written) return;
      const at = this.runLog.mark();
      const record = `${known.slice(0, -1)},"at":${JSON.stringify(at)}}`;
      const written = await this.#host.state.write(this.#session, ID, record, this.#version);
      if ("version" in written) {
        this.#version = written.version;
        this.#written = known;
        this.runLog.saved(at.seq);
        return;
      }
      await this.load();
    }
    throw new Error("other writers were always first");
  }
}
