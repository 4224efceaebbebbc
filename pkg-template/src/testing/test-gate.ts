import { createGate } from "ackgate";
import { bad } from "../checks.js";
import { memoryState } from "../memory.js";
import type { Context, Gate, GateOptions, SessionState, ToolMap, VerdictLike } from "../types.js";
import { type Approver, fakeApprover } from "./approver.js";
import { type FakeClock, fakeClock } from "./fake-clock.js";
import { type Recorder, recorder } from "./recorder.js";
import type { Script } from "./script.js";

export type TestGate<T extends ToolMap = ToolMap> = Gate<T> & {
  readonly clock: FakeClock;
  readonly approver: Approver;
  readonly recorded: Recorder;
};
export type TestGateOptions<
  T extends ToolMap = ToolMap,
  V extends Readonly<Record<string, VerdictLike>> = Readonly<Record<string, VerdictLike>>,
> = Omit<GateOptions<T, V>, "state" | "clock"> & {
  /** Default: a memory of its own. */
  state?: SessionState | undefined;
  /** Default: a clock of its own. Gates of one test can share one. */
  clock?: FakeClock | undefined;
  /** What the approver answers; by default nothing. */
  answers?: Script | undefined;
};

/** A gate on memory with a fake clock, approver and recorder plugged in. Your own observers are told too. */
export function testGate<const T extends ToolMap, const V extends Readonly<Record<string, VerdictLike>>>(
  options: TestGateOptions<T, V>,
): TestGate<T> {
  const { answers = {}, state = memoryState(), clock = fakeClock(), ...rest } = options as TestGateOptions;
  if (typeof clock?.advance !== "function") throw bad("`clock` must be a `fakeClock()`: a test waits for no real time");
  const recorded = recorder();
  const gate = createGate({
    ...rest,
    state,
    clock,
    onPermission(event, context: Context) {
      recorded.onPermission(event);
      return rest.onPermission?.(event, context);
    },
    onAudit(record) {
      recorded.onAudit(record);
      return rest.onAudit?.(record);
    },
  });
  const approver = fakeApprover(gate, answers);
  return Object.assign(gate, { clock, approver, recorded }) as unknown as TestGate<T>;
}
