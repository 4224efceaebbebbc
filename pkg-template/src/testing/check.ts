/** Throws unless the condition holds. */
export function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Throws unless both are the same, down to the last field. A field that is undefined is as good as none. */
export function same(found: unknown, wanted: unknown, about = ""): void {
  const [left, right] = [show(found), show(wanted)];
  check(left === right, `${about && `${about}: `}found ${left}, not ${right}`);
}

/** Throws unless the work fails with such a message. */
export async function refused(work: () => PromiseLike<unknown>, message: RegExp): Promise<void> {
  let outcome: unknown;
  try {
    outcome = await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    check(message.test(text), `failed with "${text}", which is not ${message}`);
    return;
  }
  throw new Error(`gave ${show(outcome)} and should have failed with ${message}`);
}

/** So long a store may take for what it promises at once; only a broken one takes it. */
const PATIENCE_MS = 30_000;

/** Waits for a condition. */
export async function until(what: string, condition: () => PromiseLike<boolean> | boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    check(performance.now() < end, `waited ${PATIENCE_MS} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A value as text, the fields of objects in the order of their names. */
function show(value: unknown): string {
  const ordered = (_: string, part: unknown): unknown =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return JSON.stringify(value, ordered) ?? String(value);
}
