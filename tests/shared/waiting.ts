// What tests of asynchronous things share: no test sleeps, no test reads a clock.
import assert from "node:assert/strict";

/** A clock that only moves when told. */
export function fakeClock(startMs = 0) {
  let now = startMs;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    setTimeout(run: () => void, ms: number) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    get waiting() {
      return timers.length;
    },
    advance(ms: number) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        now = next.at;
        timers = timers.filter((each) => each !== next);
        next.run();
      }
      now = until;
    },
  };
}

/** Waits for a condition, never for a time. */
export async function until(condition: () => unknown, what = condition.toString()): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail(`never happened: ${what}`);
}

/** A promise and its keys. */
export function gateway<T = void>() {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
