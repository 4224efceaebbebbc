import type { RunAgentInput } from "@ag-ui/client";
import { AckError } from "../error.js";
import { rejectUnknown } from "../names.js";
import type { Context } from "../types.js";

export interface WrapOptions {
  /** `block`: the run stays open while a person is asked. */
  mode: "block";
  /** Also send each confirmation as an ACTIVITY_SNAPSHOT, for clients that draw activity messages. */
  activity?: boolean | undefined;
  /** Who runs, for hosts that call `agent.run` themselves. `agentHandler` uses `identify` instead. */
  context?: ((input: RunAgentInput) => Context | PromiseLike<Context>) | undefined;
}

export const WRAP_OPTIONS = ["mode", "activity", "context"] as const;

/** Throws `bad_options` for what `wrapAgent` would otherwise have to guess or ignore. */
export function checkWrapOptions(
  what: string,
  options: WrapOptions | undefined,
  known: readonly string[],
): WrapOptions {
  if (options !== undefined) rejectUnknown(what, options, known);
  if (options?.mode !== "block") {
    const given = options?.mode === undefined ? "`mode` is missing" : `\`mode\` cannot be \`${String(options.mode)}\``;
    throw new AckError("bad_options", `${given}: write \`mode: "block"\`, other modes are not available yet`);
  }
  if (options.activity !== undefined && typeof options.activity !== "boolean") {
    throw new AckError("bad_options", "`activity` must be true or false");
  }
  if (options.context !== undefined && typeof options.context !== "function") {
    throw new AckError("bad_options", "`context` must be a function of the run's input");
  }
  return options;
}
