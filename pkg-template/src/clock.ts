import type { Clock } from "./types.js";

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
