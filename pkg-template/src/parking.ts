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
  leave(): void;
  /** The call's question stays open without it. True once the run has ended and said so, false when it was stopped instead. */
  park(view: View): Promise<boolean>;
}

/** The question of a call stays open, for another run. */
export class Parked extends Error {
  readonly view: View;

  constructor(view: View) {
    super("the question is parked");
    this.view = view;
  }
}

/** Does a call's work in its run. */
export async function inRun<T>(
  { parking }: Scope,
  { toolCallId, toolName }: ToolCall,
  work: () => Promise<T>,
): Promise<T> {
  if (!parking) return work();
  if (!parking.enter(toolCallId)) throw parked(toolName);
  try {
    return await work();
  } finally {
    parking.leave();
  }
}

export function parked(toolName: string): AckError {
  return new AckError("parked", `the run has ended while a person is asked; \`${toolName}\` is not run in it`);
}

/** The work's end. Where that is `parked` nobody has to hear it: the run has ended, and may have let go of its calls. */
export function unheard<T>(work: Promise<T>): Promise<T> {
  const end = new Promise<T>((resolve, reject) => {
    work.then(resolve, (error: unknown) => {
      if (AckError.is(error) && error.code === "parked") end.catch(() => {});
      reject(error);
    });
  });
  return end;
}
