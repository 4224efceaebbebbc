import type { House } from "./house.js";
import type { SessionKey } from "./types.js";

/** A call's place at a record: while it is taken no other call of this instance acts on it, and its lease is renewed. */
export class Seat {
  readonly #house: House;
  readonly #key: SessionKey;
  readonly #id: string;
  #leave: (() => void) | undefined;
  #cancelTimer = (): void => {};
  /** The fence of the claim that this call has made; 0 before. */
  fence = 0;

  constructor(house: House, key: SessionKey, confirmationId: string) {
    this.#house = house;
    this.#key = key;
    this.#id = confirmationId;
  }

  get taken(): boolean {
    return this.#leave !== undefined;
  }

  /** False when another call of this instance has it. */
  take(): boolean {
    this.#leave ??= this.#house.holds.take(this.#key, this.#id);
    if (this.taken) this.#renewLater();
    return this.taken;
  }

  leave(): void {
    if (!this.#leave) return;
    this.#cancelTimer();
    this.#leave();
    this.#leave = undefined;
    // Who waited for this call may act now.
    this.#house.records.wake(this.#key, this.#id);
  }

  /** Throws `taken_over` when the record is another instance's. */
  async renew(): Promise<void> {
    const event = { type: "renew", owner: this.#house.instance, fence: this.fence } as const;
    await this.#house.records.change(this.#key, this.#id, event);
  }

  #renewLater(): void {
    const { clock, leaseMs } = this.#house.settings;
    this.#cancelTimer();
    this.#cancelTimer = clock.setTimeout(async () => {
      // A renewal that fails is tried at the next turn; a record that is lost is seen by whoever waits.
      await this.renew().catch(() => undefined);
      if (this.taken) this.#renewLater();
    }, leaseMs / 3);
  }
}
