import type { Scope } from "./calls.js";
import { AckError } from "./error.js";
import type { ToolCall } from "./types.js";
import type { View } from "./wasm/types.js";

/** A run that may end with open questions: how its gated calls and its stream know of each other. */
export interface Parking {
  /** Aborted: from now on no call of the run waits for a person. */
  readonly due: AbortSignal;
  /** A call comes to the gate. False: the run's stream has ended, the call is too late. */
  enter(toolCallId: string): boolean;
  /** The call has its result. */
  leave(toolCallId: string): void;
  /** The call's question stays open without it. Resolves when the run's stream has ended. */
  park(view: View): Promise<void>;
}

/** The question of a call stays open, for another run. */
export class Parked extends Error {
  readonly view: View;

  constructor(view: View) {
    super("the question is parked");
    this.view = view;
  }
}

/** Does a call's work in its run. INVARIANT: a parked call gives no value; it rejects once its run's stream has ended. */
export async function inRun<T>({ parking }: Scope, call: ToolCall, work: () => Promise<T>): Promise<T> {
  if (!parking) return work();
  const { toolCallId, toolName } = call;
  if (!parking.enter(toolCallId)) throw parked(toolName);
  try {
    const result = await work();
    parking.leave(toolCallId);
    return result;
  } catch (error) {
    if (!(error instanceof Parked)) {
      parking.leave(toolCallId);
      throw error;
    }
    await parking.park(error.view);
    throw parked(toolName);
  }
}

function parked(toolName: string): AckError {
  return new AckError("parked", `the run has ended while a person is asked; \`${toolName}\` is not run in it`);
}
