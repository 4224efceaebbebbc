import { every } from "../clock.js";
import { messageOf } from "../error.js";
import type { HostSide } from "../internal.js";
import { randomText } from "../random.js";
import type { SessionKey } from "../types.js";
import { Batches } from "./batches.js";
import { type AnyEvent, isTerminal } from "./events.js";
import { HeadHolder } from "./head.js";
import { cardOf } from "./open.js";
import { Reopening } from "./reopening.js";

const FLUSH_MS = 1_000;

/** A point in a run, and what is open there. */
export interface Position {
  readonly run: string;
  readonly seq: number;
  readonly open: readonly AnyEvent[];
}

/** A run's events in the session's store, for followers in other processes. What the store does never reaches the run. */
export class RunLog {
  readonly run = randomText();
  readonly #host: HostSide;
  readonly #session: SessionKey;
  readonly #head: HeadHolder;
  readonly #batches: Batches;
  readonly #reopening = new Reopening();
  #seq = 0;
  #state: "waiting" | "held" | "lost" = "waiting";
  #work: Promise<void> = Promise.resolve();
  #stopFlush: (() => void) | undefined;
  #stopRenewing = () => {};

  constructor(host: HostSide, session: SessionKey, recovered: boolean) {
    this.#host = host;
    this.#session = session;
    this.#head = new HeadHolder(host, session, { run: this.run, recovered });
    this.#batches = new Batches(host, session, this.run);
  }

  /** Where the run is now; later events are kept apart from earlier ones. */
  mark(): Position {
    this.#batches.cut();
    return { run: this.run, seq: this.#seq, open: this.#reopening.events };
  }

  append(event: AnyEvent): void {
    this.#reopening.apply(event);
    if (isTerminal(event)) return;
    this.#batches.add(++this.#seq, event);
    if (cardOf(event) !== undefined) this.#flushNow();
    else this.#flushSoon();
  }

  /** The messages are stored as they were at `seq`. */
  saved(seq: number): void {
    this.#batches.saved = seq;
  }

  /** From here on other processes see the run. */
  open(): void {
    if (this.#state === "lost") return;
    const beat = async () => {
      this.#then(() => this.#hold());
      await this.#work;
      return this.#state !== "lost";
    };
    this.#stopRenewing = every(this.#host.clock, this.#host.leaseMs / 3, beat);
    void beat();
  }

  /** Resolves when the end is stored, or the failure is logged. */
  close(terminal: AnyEvent): Promise<void> {
    this.#stopRenewing();
    this.#stopFlush?.();
    this.#then(async () => {
      const held = this.#state === "held";
      this.#state = "lost";
      if (!held) return;
      await this.#batches.flush().catch((error) => this.#log(error));
      await this.#head.write({ event: terminal, seq: this.#seq });
      this.#then(() => this.#batches.prune(this.#seq));
    });
    return this.#work;
  }

  async #hold(): Promise<void> {
    if (this.#state === "lost") return;
    const first = this.#state === "waiting";
    this.#state = (await this.#head.write()) ? "held" : "lost";
    if (this.#state === "lost") return this.#stopFlush?.();
    if (!first) return;
    this.#flushNow();
    await this.#batches.clearOthers();
  }

  #flushSoon(): void {
    this.#stopFlush ??= this.#host.clock.setTimeout(() => this.#flushNow(), FLUSH_MS);
  }

  #flushNow(): void {
    this.#stopFlush?.();
    this.#stopFlush = undefined;
    if (this.#state !== "held") return;
    this.#then(async () => {
      if (this.#state !== "held") return;
      try {
        await this.#batches.flush();
        await this.#batches.prune();
      } catch (error) {
        this.#flushSoon();
        throw error;
      }
    });
  }

  /** One store call after another. */
  #then(step: () => Promise<void> | undefined): void {
    this.#work = this.#work.then(step).catch((error) => this.#log(error));
  }

  #log(error: unknown): void {
    const fields = { sessionId: this.#session.session, error: messageOf(error) };
    this.#host.logger.warn("the run's events were not stored for followers elsewhere", fields);
  }
}
