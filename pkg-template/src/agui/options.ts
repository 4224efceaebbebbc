import type { RunAgentInput } from "@ag-ui/client";
import { AckError } from "../error.js";
import { rejectUnknown } from "../names.js";
import type { Context } from "../types.js";

export interface WrapOptions {
  /** `block`: the run stays open while a person is asked. `interrupt`: it ends with the protocol's interrupt outcome, and the answer starts the next one. `auto` (default): open for `liveWindowMs`, then ended. */
  mode?: "auto" | "block" | "interrupt" | undefined;
  /** How long a run in mode `auto` stays open for a person, in ms. Default 30000. */
  liveWindowMs?: number | undefined;
  /** Also send each confirmation as an ACTIVITY_SNAPSHOT, for clients that draw activity messages. */
  activity?: boolean | undefined;
  /** Who runs, for hosts that call `agent.run` themselves. `agentHandler` uses `identify` instead. */
  context?: ((input: RunAgentInput) => Context | PromiseLike<Context>) | undefined;
}
/** What of the options shapes a run, with every default filled in. */
export interface RunStyle {
  readonly mode: "auto" | "block" | "interrupt";
  readonly liveWindowMs: number;
  readonly activity: boolean;
}

export const WRAP_OPTIONS = ["mode", "liveWindowMs", "activity", "context"] as const;
const MODES: readonly unknown[] = ["auto", "block", "interrupt"];

/** Throws `bad_options` for what `wrapAgent` would otherwise have to guess or ignore. */
export function checkWrapOptions(what: string, options: WrapOptions, known: readonly string[]): RunStyle {
  rejectUnknown(what, options, known);
  const { mode = "auto", liveWindowMs, activity = false, context } = options;
  if (!MODES.includes(mode)) {
    throw new AckError(
      "bad_options",
      `\`mode\` is \`${String(mode)}\`, it must be \`auto\`, \`block\` or \`interrupt\``,
    );
  }
  if (liveWindowMs !== undefined && !(liveWindowMs > 0 && Number.isFinite(liveWindowMs))) {
    throw new AckError("bad_options", "`liveWindowMs` must be a number of milliseconds over 0");
  }
  if (liveWindowMs !== undefined && mode !== "auto") {
    throw new AckError("bad_options", `\`liveWindowMs\` is of mode \`auto\`, the mode is \`${mode}\``);
  }
  if (typeof activity !== "boolean") throw new AckError("bad_options", "`activity` must be true or false");
  if (context !== undefined && typeof context !== "function") {
    throw new AckError("bad_options", "`context` must be a function of the run's input");
  }
  return { mode, liveWindowMs: liveWindowMs ?? 30_000, activity };
}
