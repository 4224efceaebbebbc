import { within } from "./clock.js";
import { messageOf } from "./error.js";
import { keyOf } from "./memory.js";
import type { Settings } from "./settings.js";
import type { SessionKey } from "./types.js";

/** Who of this gate wants to hear of a session's changes. */
export type Watchers = Map<string, Set<(id: string) => void>>;

const POLL_MS = 1_000;
const POLL_SUBSCRIBED_MS = 15_000;

/** Hears of changes to a session's records whose ids begin alike, one record's or all of a kind: of this gate's own writes and, where the store tells, of everybody's. */
export class Watch {
  readonly #settings: Settings;
  readonly #watchers: Watchers;
  readonly #key: SessionKey;
  readonly #begins: string;
  #woken = Promise.resolve();
  #wake = (): void => {};
  #unsubscribe: (() => void) | undefined;
  #closed = false;

  constructor(settings: Settings, watchers: Watchers, key: SessionKey, begins: string) {
    this.#settings = settings;
    this.#watchers = watchers;
    this.#key = key;
    this.#begins = begins;
    const name = keyOf(key);
    watchers.set(name, (watchers.get(name) ?? new Set()).add(this.#changed));
    void this.#subscribe();
  }

  /** What is heard from here on counts for the next `next`. */
  reset(): void {
    this.#woken = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }

  /** Resolves at the next change, at the next poll, or after `ms`. */
  async next(ms = Infinity): Promise<void> {
    const { pollMs = this.#unsubscribe ? POLL_SUBSCRIBED_MS : POLL_MS, clock } = this.#settings;
    await within(clock, Math.min(pollMs, ms), this.#woken, () => undefined);
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe?.();
    const set = this.#watchers.get(keyOf(this.#key));
    set?.delete(this.#changed);
    if (set?.size === 0) this.#watchers.delete(keyOf(this.#key));
  }

  readonly #changed = (id: string): void => {
    if (id.startsWith(this.#begins)) this.#wake();
  };

  /** In the background: the record is polled meanwhile, and for good when this fails. */
  async #subscribe(): Promise<void> {
    const { state, logger } = this.#settings;
    if (!state.subscribe) return;
    try {
      const unsubscribe = await state.subscribe(this.#key, this.#changed);
      if (this.#closed) return unsubscribe?.();
      this.#unsubscribe = unsubscribe;
      // What changed while nobody listened is read now.
      this.#wake();
    } catch (error) {
      logger.warn("the store can't be subscribed to, it is polled", { error: messageOf(error) });
    }
  }
}
