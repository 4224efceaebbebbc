import type { SessionKey } from "../types.js";
import type { Queryable } from "./postgres.js";
import { digestOf } from "./postgres-text.js";

type Stop = () => PromiseLike<void>;

/** One LISTEN for all subscribers of a state, for as long as there are any. */
export class Listening {
  readonly #client: Queryable;
  readonly #channel: string;
  readonly #subscribers = new Map<string, Set<{ readonly changed: (id: string) => void }>>();
  #stop: Stop | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(client: Queryable, channel: string) {
    this.#client = client;
    this.#channel = channel;
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
      if (this.#subscribers.size > 0) this.#stop ??= await this.#listen();
      else if (stop) {
        this.#stop = undefined;
        await stop();
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #listen(): Promise<Stop> {
    const heard = (payload: string): void => this.#hear(payload);
    return this.#client.listen ? this.#client.listen(this.#channel, heard) : await this.#connect(heard);
  }

  async #connect(heard: (payload: string) => void): Promise<Stop> {
    const session = await this.#client.connect?.();
    if (!session) throw new TypeError("the client can't `connect`");
    let over = false;
    const end = async (): Promise<void> => {
      if (over) return;
      over = true;
      // Destroyed: back in the pool it would go on listening.
      session.release(true);
    };
    session.on("notification", ({ channel, payload = "" }) => {
      if (!over && channel === this.#channel) heard(payload);
    });
    // A lost connection is an event; unheard it would end the process. The next subscriber connects again.
    (session as unknown as { on(event: "error", f: () => void): unknown }).on("error", () => {
      if (this.#stop === end) this.#stop = undefined;
      void end();
    });
    try {
      await session.query(`LISTEN ${this.#channel}`);
    } catch (error) {
      await end();
      throw error;
    }
    return end;
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
