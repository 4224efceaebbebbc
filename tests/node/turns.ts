// Who writes when, said by a seed: each write to a store waits for its turn, and again before its answer is heard.
import type { SessionState } from "ackgate";
import type { fakeClock } from "ackgate/testing";
import { seeded } from "./seeded.ts";

/** So often nothing may be waiting for its turn before what goes on is called stuck. */
const PATIENCE = 2_000;

export class Turns {
  /** The turns as they were taken. */
  readonly order: string[] = [];
  readonly #random: () => number;
  readonly #clock: ReturnType<typeof fakeClock>;
  readonly #waiting: { readonly name: string; readonly go: () => void }[] = [];
  #on = false;

  constructor(seed: number, clock: ReturnType<typeof fakeClock>) {
    this.#random = seeded(seed);
    this.#clock = clock;
  }

  /** The store as one instance sees it. */
  of(name: string, state: SessionState): SessionState {
    return {
      ...state,
      write: async (session, id, record, ifVersion) => {
        await this.#turn(`${name} writes ${id}`);
        const written = await state.write(session, id, record, ifVersion);
        await this.#turn(`${name} hears ${"conflict" in written ? "no" : "yes"} of ${id}`);
        return written;
      },
    };
  }

  /** Gives turns until the work is done, and until nobody waits for one any more. */
  async play<T>(work: () => Promise<T>): Promise<T> {
    this.#on = true;
    let over = false;
    const done = work().finally(() => {
      over = true;
    });
    done.catch(() => undefined);
    for (let idle = 0; !over || idle < 20; idle++) {
      if (idle > PATIENCE) throw new Error("it is stuck");
      await quiet();
      const [next] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
      if (next === undefined) {
        await this.#clock.advance(10);
        continue;
      }
      this.order.push(next.name);
      next.go();
      idle = 0;
    }
    this.#on = false;
    for (const { go } of this.#waiting.splice(0)) go();
    return done;
  }

  #turn(name: string): Promise<void> | undefined {
    return this.#on ? new Promise((go) => this.#waiting.push({ name, go })) : undefined;
  }
}

/** Lets everything come as far as it can without a turn. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
