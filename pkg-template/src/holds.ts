import { keyOf } from "./memory.js";
import type { SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** What this instance waits for or runs: each thing is held by at most one call. Names carry their kind. */
export class Holds {
  readonly #held = new Map<string, Promise<void>>();

  /** Gives the function that lets go, or undefined when another call of this instance holds it. */
  take(key: SessionKey, id: string): (() => void) | undefined {
    const name = nameOf(key, id);
    if (this.#held.has(name)) return undefined;
    let gone = (): void => {};
    this.#held.set(
      name,
      new Promise((resolve) => {
        gone = resolve;
      }),
    );
    return () => {
      this.#held.delete(name);
      gone();
    };
  }

  has(key: SessionKey, id: string): boolean {
    return this.#held.has(nameOf(key, id));
  }

  /** Resolves when the call that holds it has let go. */
  async free(key: SessionKey, id: string): Promise<void> {
    await this.#held.get(nameOf(key, id));
  }
}

/** A call of this instance waits for it or runs it, however old its lease is. */
export function isHeld({ holds }: { holds: Holds }, key: SessionKey, confirmationId: string): boolean {
  return holds.has(key, `c:${confirmationId}`);
}

/**
 * True when somebody acts on the record: a call of this instance, or another owner whose lease is current. What this
 * instance started and let go of without storing its end is nobody's before the lease has lapsed.
 */
export function isLive(house: { holds: Holds; instance: string }, key: SessionKey, view: View): boolean {
  if (isHeld(house, key, view.payload.confirmationId)) return true;
  return view.live && (view.owner !== house.instance || view.stage === "executing");
}

/** Answered or begun, and nobody acts on it. */
export function isLeft(house: { holds: Holds; instance: string }, key: SessionKey, view: View): boolean {
  return (view.stage === "decided" || view.stage === "executing") && !isLive(house, key, view);
}

/** The same, and its owner is gone: by design nobody has what is parked. */
export function isOrphan(house: { holds: Holds; instance: string }, key: SessionKey, view: View): boolean {
  return !view.parked && isLeft(house, key, view);
}

function nameOf(key: SessionKey, id: string): string {
  return `${keyOf(key)} ${id}`;
}
