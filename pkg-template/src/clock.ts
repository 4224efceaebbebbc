import { AckError, messageOf, StoreTimeout } from "./error.js";
import type { Clock, Logger } from "./types.js";

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(run, ms) {
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

/** Resolves with `late` after `ms`, unless `work` settles first. */
export async function within<T, L>(
  clock: Clock,
  ms: number | undefined,
  work: PromiseLike<T>,
  late: () => L,
): Promise<T | L> {
  if (ms === undefined) return work;
  let cancel = (): void => {};
  const timeout = new Promise<L>((resolve, reject) => {
    cancel = clock.setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    cancel();
  }
}

/** Resolves after `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(resolve, ms));
}

/** What must be stored is offered to a failing store so often, over about three seconds. */
const TRIES = 7;

/** Tries again with back-off, 50 ms and twice as long each time, as long as it is the store that fails. */
export async function insist<T>(setup: { clock: Clock; logger: Logger }, work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === TRIES || !isStoreFailure(error)) throw error;
      setup.logger.warn("the store failed, it is tried again", { error: messageOf(error) });
      await pause(setup.clock, 50 * 2 ** (tried - 1));
    }
  }
}

/** What the store did is not known. */
export function isStoreFailure(error: unknown): boolean {
  return !AckError.is(error) || error instanceof StoreTimeout;
}

/** Does something every `ms`, after what it did before has ended, until it gives false or is taken back. */
export function every(clock: Clock, ms: number, work: () => Promise<boolean>): () => void {
  let stopped = false;
  let cancel = (): void => {};
  const later = (): void => {
    cancel = clock.setTimeout(async () => {
      if ((await work()) && !stopped) later();
    }, ms);
  };
  later();
  return () => {
    stopped = true;
    cancel();
  };
}
