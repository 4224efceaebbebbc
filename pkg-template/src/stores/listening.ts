import type { SessionKey } from "../types.js";
import { digestOf } from "./text.js";

export type Stop = () => PromiseLike<void>;
/** Begins to hear what writers tell. `lost`: it has ended by itself. */
export type Listen = (heard: (payload: string) => void, lost: () => void) => PromiseLike<Stop>;

/** One listener for all subscribers of a state, for as long as there are any. */
export class Listening {
  readonly #listen: Listen;
  readonly #subscribers = new Map<string, Set<{ readonly changed: (id: string) => void }>>();
  #stop: Stop | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(listen: Listen) {
    this.#listen = listen;
  }

  async subscribe(session: SessionKey, changed: (id: string) => void): Promise<() => void> {
    const digest = await digestOf(session);
    const subscriber = { changed };
    this.#subscribers.set(digest, (this.#subscribers.get(digest) ?? new Set()).add(subscriber));
    const leave = (): void => {
      const set = this.#subscribers.get(digest);
      set?.delete(subscriber);
      if (set?.size === 0) this.#subscribers.delete(digest);
    };
    try {
      await this.#adjust();
    } catch (error) {
      leave();
      throw error;
    }
    return () => {
      leave();
      this.#adjust().catch(() => undefined);
    };
  }

  async end(): Promise<void> {
    this.#subscribers.clear();
    await this.#adjust();
  }

  /** Starts or stops to listen, one after the other: the last one sees who is there at the end. */
  #adjust(): Promise<void> {
    const turn = this.#turn.then(async () => {
      const stop = this.#stop;
      if (this.#subscribers.size > 0) this.#stop ??= await this.#begin();
      else if (stop) {
        this.#stop = undefined;
        await stop();
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** The next subscriber begins again what was lost. */
  async #begin(): Promise<Stop | undefined> {
    let lost = false;
    let stop: Stop | undefined;
    const heard = (payload: string): void => this.#hear(payload);
    stop = await this.#listen(heard, () => {
      lost = true;
      if (this.#stop === stop) this.#stop = undefined;
    });
    return lost ? undefined : stop;
  }

  #hear(payload: string): void {
    const [digest, id] = parse(payload);
    for (const { changed } of [...(this.#subscribers.get(digest) ?? [])]) queueMicrotask(() => changed(id));
  }
}

/** Anybody who may notify can send anything: what is not ours names no session. */
function parse(payload: string): [digest: string, id: string] {
  try {
    const [digest, id] = JSON.parse(payload) as [unknown, unknown];
    return [String(digest), String(id)];
  } catch {
    return ["", ""];
  }
}
