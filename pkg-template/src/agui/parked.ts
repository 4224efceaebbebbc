import type { Parking } from "../parking.js";
import type { Clock, Payload } from "../types.js";
import type { View } from "../wasm/types.js";
import type { Open } from "./open.js";
import type { RunStyle } from "./options.js";

/** How long an ended call of the stream may take to reach the gate, or a result to reach the stream. */
const GRACE_MS = 1000;

/** The calls of one run that may end with open questions: says when no more is to come of it. */
export class ParkedCalls implements Parking {
  readonly #due = new AbortController();
  readonly #style: RunStyle;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #stream: Open;
  readonly #end: (open: readonly Payload[]) => void;
  readonly #entered = new Set<string>();
  readonly #cards = new Set<string>();
  readonly #parked = new Map<string, Payload>();
  readonly #left = new Set<string>();
  readonly #ended: Promise<void>;
  #over = (): void => {};
  #isOver = false;
  #inside = 0;
  #idle = 0;
  #stopWindow = (): void => {};
  #grace: (() => void) | undefined;

  /** `stop` stops the run. `end` is called once at most, with what is open; `close` says that the stream has ended. */
  constructor(style: RunStyle, clock: Clock, stop: AbortSignal, stream: Open, end: (open: readonly Payload[]) => void) {
    this.#style = style;
    this.#clock = clock;
    this.#stream = stream;
    this.#end = end;
    this.#ended = new Promise((resolve) => {
      this.#over = resolve;
    });
    this.#stop = stop;
    stop.addEventListener("abort", () => this.#stopped(), { once: true });
    if (style.mode === "interrupt") this.#due.abort();
  }

  get due(): AbortSignal {
    return this.#due.signal;
  }

  enter(toolCallId: string): boolean {
    if (this.#isOver) return false;
    this.#entered.add(toolCallId);
    this.#inside++;
    return true;
  }

  leave(): void {
    this.#inside--;
    this.changed();
  }

  async park({ payload }: View): Promise<boolean> {
    if (this.#stop.aborted) return false;
    const { confirmationId } = payload;
    this.#parked.set(confirmationId, payload);
    this.#idle++;
    this.changed();
    await this.#ended;
    this.#idle--;
    return this.#left.has(confirmationId);
  }

  /** The questions that are parked. */
  get open(): Payload[] {
    return [...this.#parked.values()];
  }

  /** True when the call has come to the gate in this run. */
  came(toolCallId: string): boolean {
    return this.#entered.has(toolCallId);
  }

  /** A card of this run: the first open one starts the window, the last answered one ends it. */
  card({ confirmationId, status }: Payload): void {
    const before = this.#cards.size;
    if (status === "pending") this.#cards.add(confirmationId);
    else this.#cards.delete(confirmationId);
    if (this.#style.mode !== "auto" || this.#due.signal.aborted) return;
    if (before === 0 && this.#cards.size > 0) {
      this.#stopWindow = this.#clock.setTimeout(() => this.#due.abort(), this.#style.liveWindowMs);
    } else if (this.#cards.size === 0) {
      this.#stopWindow();
    }
  }

  /** The stream or its calls are other ones than before: looks whether all that is left is parked. */
  changed(): void {
    if (this.#isOver || this.#parked.size === 0 || this.#inside > this.#idle) return;
    const parked = new Set(this.open.map(({ toolCallId }) => toolCallId));
    if ([...this.#stream.unfinished].every((id) => parked.has(id))) this.finish();
    else this.#later();
  }

  /** What is parked ends with the run, unless the run has said that it stays open. */
  #stopped(): void {
    this.#parked.clear();
    this.#over();
  }

  #later(): void {
    this.#grace ??= this.#clock.setTimeout(() => {
      this.#grace = undefined;
      if (this.#inside === this.#idle) this.finish();
    }, GRACE_MS);
  }

  /** Ends the run with its open questions. */
  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const id of this.#parked.keys()) this.#left.add(id);
    this.#end(this.open);
  }

  /** The stream has ended, with open questions or otherwise. */
  close(): void {
    this.#isOver = true;
    this.#stopWindow();
    this.#grace?.();
    this.#over();
  }
}
