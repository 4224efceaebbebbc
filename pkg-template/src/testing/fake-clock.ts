import { bad } from "../checks.js";
import type { Clock } from "../types.js";

export interface FakeClock extends Clock {
  /** Lets so much time pass: what is due runs in the order of its time, then of its registration, each with what it started. */
  advance(ms: number): Promise<void>;
  /** How many timers wait. */
  readonly waiting: number;
}
interface Timer {
  readonly at: number;
  readonly run: () => void;
}

// Taken now: a test runner may put timers of its own in their place.
const { setImmediate: soon, setTimeout: later } = globalThis;

/** A clock that stands still until it is told to go on. */
export function fakeClock(startMs = 0): FakeClock {
  let now = startMs;
  let passed = Promise.resolve();
  const timers = new Set<Timer>();
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms;
    await turn();
    for (let timer = next(timers, end); timer; timer = next(timers, end)) {
      timers.delete(timer);
      now = timer.at;
      timer.run();
      await turn();
    }
    now = end;
  };
  return {
    now: () => now,
    setTimeout(run, ms) {
      const timer = { at: now + Math.max(ms, 0), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      if (!(ms >= 0 && ms < Infinity)) throw bad("`advance` takes a number of milliseconds from 0 on");
      const passing = passed.then(() => pass(ms));
      passed = passing.catch(() => undefined);
      return passing;
    },
    get waiting() {
      return timers.size;
    },
  };
}

/** The first that is due by then; a set keeps the order of registration. */
function next(timers: ReadonlySet<Timer>, end: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (timer.at <= end && (!first || timer.at < first.at)) first = timer;
  return first;
}

/** Lets what is under way go on. */
function turn(): Promise<void> {
  return new Promise((resolve) => void (soon ? soon(resolve) : later(resolve, 0)));
}
