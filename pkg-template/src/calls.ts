import { AckError } from "./error.js";
import { deepFreeze, wellFormed, writeJson } from "./json.js";
import type { Parking } from "./parking.js";
import { currentScope } from "./scope.js";
import type { Call, CallInit, CallOptions, Context, JsonObject, RunScope, ToolCall } from "./types.js";

/** A call with the scope it is made in. */
export interface Prepared {
  readonly call: ToolCall;
  readonly scope: Scope;
  /** Why the arguments can't be judged at all. */
  readonly invalid?: string | undefined;
}
export type Scope = Omit<RunScope, "context"> & { readonly context: Context; readonly parking?: Parking | undefined };

/** Brings a call and its scope together: what is passed in wins over what `gate.run` gave. */
export function prepare(init: CallInit, options: Partial<CallOptions> = {}): Prepared {
  const outer = currentScope();
  const sessionId = init.sessionId ?? outer?.sessionId;
  if (typeof sessionId !== "string" || sessionId === "") {
    throw new AckError(
      "no_session",
      `the call of \`${init.toolName}\` belongs to no session: pass \`sessionId\` or call inside \`gate.run\``,
    );
  }
  for (const name of ["toolCallId", "toolName"] as const) {
    if (typeof init[name] !== "string" || init[name] === "")
      throw new AckError("bad_request", `\`${name}\` must be a non-empty text`);
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const context = options.context ?? outer?.context ?? ({} as Context);
  // The mode is the run's: a call can't ease it.
  const scope = { ...outer, ...given, mode: outer?.mode, sessionId, context };
  const { text, invalid } = argumentsOf(init.arguments);
  const call: ToolCall = {
    sessionId,
    toolCallId: init.toolCallId,
    toolName: init.toolName,
    ...(init.server !== undefined && { server: init.server }),
    arguments: text,
  };
  return { call, scope, invalid };
}

/** What callbacks get: the call with its arguments parsed once and frozen. */
export function withInput(call: ToolCall): Call {
  return Object.freeze({ ...call, input: deepFreeze(JSON.parse(call.arguments)) as JsonObject });
}

/** Arguments as the text that is judged, and why they can't be. */
export function argumentsOf(given: unknown): { text: string; invalid: string | undefined } {
  if (typeof given !== "string") {
    const { text, refused } = writeJson(given, "arguments");
    return { text, invalid: refused && `the arguments can't be written as JSON: ${refused}` };
  }
  return { text: given, invalid: wellFormed(given) ? undefined : "the arguments hold an unpaired surrogate" };
}
