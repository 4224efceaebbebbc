import { type Asked, answer, type Host } from "./answers.js";
import { withInput } from "./calls.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import type { Judged } from "./judge.js";
import { endingOf } from "./signals.js";
import type { Call, ToolCall } from "./types.js";
import type { Answer, Heard, Setup, Stepped, TraceEntry } from "./wasm/types.js";

/** The driver of the step machine: asks the host what the core wants to know, until the core has settled. */
export async function drive(
  host: Host,
  policy: engine.Compiled | undefined,
  setup: Setup,
  call: ToolCall,
  heard: Heard,
): Promise<Judged> {
  const { signal } = host.scope;
  const stop = (at: Stepped): Judged | undefined => {
    host.closing.throwIfAborted();
    return signal?.aborted ? stopped(signal, at) : undefined;
  };
  let full: Call | undefined;
  const input = (given: ToolCall): Call => {
    full ??= withInput(given);
    return full;
  };
  let stepped = engine.begin(policy, setup, call);
  while (stepped.step.type !== "settled") {
    const ended = stop(stepped);
    if (ended) return ended;
    const { step } = stepped;
    let said: Answer = { type: "failed" };
    let cause: unknown;
    try {
      said = await answer(host, step, input);
    } catch (error) {
      cause = error;
    }
    hear(heard, step, said);
    const next = resumeSafely(policy, stepped.state, step.stepId, said);
    logFailure(host, call, next.trace[stepped.trace.length], cause);
    stepped = next;
  }
  const { trace, state } = stepped;
  return stop(stepped) ?? { outcome: stepped.step.outcome, trace, digest: state.digest };
}

/** Keeps what the rules were told, for whoever asks them again about this call. */
function hear(heard: Heard, step: Asked, said: Answer): void {
  if (step.type === "realPath") {
    const paths = said.type === "realPaths" ? said.paths : [];
    heard.real = Object.fromEntries(step.paths.map((path, index) => [path, paths[index] ?? null]));
  }
  if (step.type === "preapprove") heard.preapproved = (said.type === "preapproved" && said.id) || "";
}

/** Whatever a callback does wrong counts as no approval and is logged with its name. */
function logFailure({ settings }: Host, call: ToolCall, entry: TraceEntry | undefined, cause: unknown): void {
  if (cause === undefined && entry?.said !== "failed") return;
  settings.logger.warn(`\`${entry?.asked}\` failed, so it counts as no approval`, {
    tool: call.toolName,
    error: cause === undefined ? "it gave an unknown word" : messageOf(cause),
  });
}

/** An answer that the engine can't even read, such as one with an unpaired surrogate, is a failed one. */
function resumeSafely(
  policy: engine.Compiled | undefined,
  state: Stepped["state"],
  stepId: number,
  said: Answer,
): Stepped {
  try {
    return engine.resume(policy, state, stepId, said);
  } catch (error) {
    if (!AckError.is(error) || error.code !== "bad_request") throw error;
    return engine.resume(policy, state, stepId, { type: "failed" });
  }
}

/** The run was stopped while the call was judged. */
function stopped(signal: AbortSignal, { trace, state: { digest } }: Stepped): Judged {
  const ending = endingOf(signal);
  return { outcome: { disposition: "deny", basis: ending, source: "", refusal: { kind: ending } }, trace, digest };
}
