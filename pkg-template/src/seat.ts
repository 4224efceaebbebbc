import { every } from "./clock.js";
import type { House } from "./house.js";
import type { SessionKey } from "./types.js";

/** A call's place at a record: while it is taken no other call of this instance acts on it, and its lease is renewed. */
export class Seat {
  readonly #house: House;
  readonly #key: SessionKey;
  readonly #id: string;
  #leave: (() => void) | undefined;
  #stopRenewing = (): void => {};
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
    if (this.taken) return true;
    this.#leave = this.#house.holds.take(this.#key, `c:${this.#id}`);
    if (this.taken) this.#stopRenewing = this.#keepAlive();
    return this.taken;
  }

  leave(): void {
    if (!this.#leave) return;
    this.#stopRenewing();
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

  /** A renewal that fails is tried at the next turn; a record that is lost is seen by whoever waits. */
  #keepAlive(): () => void {
    const { clock, leaseMs } = this.#house.settings;
    return every(clock, leaseMs / 3, () =>
      this.renew().then(
        () => true,
        () => true,
      ),
    );
  }
}
