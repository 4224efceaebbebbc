// What tests of asynchronous things share: no test sleeps, no test reads a clock.
import assert from "node:assert/strict";

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
