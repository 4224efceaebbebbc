import { AckError } from "./error.js";
import { currentScope } from "./scope.js";
import type { Call, CallInit, CallOptions, Context, JsonObject, RunScope, ToolCall } from "./types.js";

/** A call with the scope it is made in. */
export interface Prepared {
  readonly call: ToolCall;
  readonly scope: Scope;
  /** Why the arguments can't be judged at all. */
  readonly invalid?: string | undefined;
}
export type Scope = Omit<RunScope, "context"> & { readonly context: Context };

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
  const scope = { ...outer, ...given, sessionId, context: options.context ?? outer?.context ?? ({} as Context) };
  const { text, invalid } = typeof init.arguments === "string" ? read(init.arguments) : encode(init.arguments);
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

/** An unpaired surrogate would become another character on its way into the engine, so it is refused before. */
function read(text: string): { text: string; invalid: string | undefined } {
  return { text, invalid: /\p{Surrogate}/u.test(text) ? "the arguments hold an unpaired surrogate" : undefined };
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}

/** Writes arguments as JSON, reading each value once. What JSON does not carry makes them invalid. */
function encode(value: unknown): { text: string; invalid: string | undefined } {
  const refused: string[] = [];
  const open = new Set<unknown>();
  const write = (part: unknown, path: string): string => {
    const no = (what: string): string => {
      refused.push(`\`${path || "arguments"}\` is ${what}`);
      return "null";
    };
    if (part === null || typeof part === "string" || typeof part === "boolean") return JSON.stringify(part);
    if (typeof part === "number") return Number.isFinite(part) ? JSON.stringify(part) : no("not a finite number");
    if (typeof part !== "object") return no(`of type ${typeof part}`);
    if (open.has(part)) return no("part of itself");
    if (open.size > 200) return no("nested too deep");
    const proto: unknown = Object.getPrototypeOf(part);
    open.add(part);
    try {
      if (Array.isArray(part))
        return `[${Array.from(part, (item, index) => write(item, `${path}/${index}`)).join(",")}]`;
      if (proto !== null && Object.getPrototypeOf(proto) !== null) return no("not a plain object");
      const fields = Object.entries(part).map(
        ([key, item]) => `${JSON.stringify(key)}:${write(item, `${path}/${key}`)}`,
      );
      return `{${fields.join(",")}}`;
    } finally {
      open.delete(part);
    }
  };
  const text = write(value, "");
  return { text, invalid: refused[0] && `the arguments can't be written as JSON: ${refused[0]}` };
}
