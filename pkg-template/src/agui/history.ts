import { AckError, messageOf } from "../error.js";
import type { HostSide } from "../internal.js";
import type { SessionKey } from "../types.js";
import type { AnyMessage } from "./events.js";
import { Transcript } from "./transcript.js";

const ID = "h:messages";
const ATTEMPTS = 8;

interface Stored {
  readonly messages: readonly AnyMessage[];
  readonly version: string | undefined;
}

/** The stored messages of a thread; a record this version cannot read is an error, and never overwritten. */
export async function readHistory(host: HostSide, session: SessionKey): Promise<Stored> {
  const found = await host.state.read(session, ID);
  if (found === undefined) return { messages: [], version: undefined };
  const messages = parse(found.record);
  if (messages === undefined) throw new AckError("state_corrupt", "the thread's `h:messages` record cannot be read");
  return { messages, version: found.version };
}

/** One run's hand on the thread's history: writes are one after another and never fail the run. */
export class History {
  readonly transcript = new Transcript();
  readonly #host: HostSide;
  readonly #session: SessionKey;
  #version: string | undefined;
  #written = "";
  #wanted = false;
  #unreadable = false;
  #writes: Promise<void> = Promise.resolve();

  constructor(host: HostSide, session: SessionKey) {
    this.#host = host;
    this.#session = session;
  }

  async load(): Promise<void> {
    try {
      const { messages, version } = await readHistory(this.#host, this.#session);
      this.transcript.stored = messages;
      this.#version = version;
    } catch (error) {
      if (AckError.is(error) && error.code === "state_corrupt") this.#unreadable = true;
      throw error;
    }
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
      const record = JSON.stringify({ v: 1, messages: this.transcript.messages });
      if (record === this.#written) return;
      const outcome = await this.#host.state.write(this.#session, ID, record, this.#version);
      if ("version" in outcome) {
        this.#version = outcome.version;
        this.#written = record;
        return;
      }
      await this.load();
    }
    throw new Error("other writers were always first");
  }
}

function parse(record: string): AnyMessage[] | undefined {
  try {
    const value: unknown = JSON.parse(record);
    const { v, messages } = value as { v?: unknown; messages?: unknown };
    return v === 1 && Array.isArray(messages) ? messages : undefined;
  } catch {
    return undefined;
  }
}
