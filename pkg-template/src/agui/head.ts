import type { HostSide } from "../internal.js";
import type { SessionKey } from "../types.js";
import type { AnyEvent } from "./events.js";
import { fieldsOf } from "./stored.js";

const ID = "h:run";
const ATTEMPTS = 8;

/** The thread's newest run, for whoever is not in its process. */
export interface Head {
  readonly run: string;
  /** It carries on after a recovery. */
  readonly recovered: boolean;
  /** Set when it is over: its terminal event, and the number of the one before. */
  readonly over?: { readonly event: AnyEvent; readonly seq: number } | undefined;
}

export interface FoundHead {
  readonly head: Head;
  readonly version: string;
  /** It is not over, and its lease has not lapsed: its process lives. */
  readonly active: boolean;
}

/** A record this version cannot read is an error, and never overwritten. */
export async function readHead(host: HostSide, session: SessionKey): Promise<FoundHead | undefined> {
  const found = await host.state.read(session, ID);
  if (found === undefined) return undefined;
  const head = fieldsOf<Head>(ID, found.record, ({ run }) => typeof run === "string");
  return { head, version: found.version, active: head.over === undefined && found.ageMs < host.leaseMs };
}

/** One run's hand on the head: the newest run has it, an older one has lost it for good. */
export class HeadHolder {
  readonly #host: HostSide;
  readonly #session: SessionKey;
  readonly #own: Head;
  #version: string | undefined;
  #taken = false;

  constructor(host: HostSide, session: SessionKey, own: Head) {
    this.#host = host;
    this.#session = session;
    this.#own = own;
  }

  /** Takes or renews it, or says how the run ended. False: another run has it now. */
  async write(over?: Head["over"]): Promise<boolean> {
    const record = JSON.stringify({ v: 1, ...this.#own, over });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!this.#taken) this.#version = (await readHead(this.#host, this.#session))?.version;
      const outcome = await this.#host.state.write(this.#session, ID, record, this.#version);
      if ("version" in outcome) {
        this.#version = outcome.version;
        this.#taken = true;
        return true;
      }
      if (!this.#taken) continue;
      const found = await readHead(this.#host, this.#session);
      if (found?.head.run !== this.#own.run) return false;
      this.#version = found.version;
    }
    throw new Error("other writers were always first");
  }
}
