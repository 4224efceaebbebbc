import type { CallOptions } from "./call.js";
import type { Context } from "./words.js";

/** The second argument of a tool function, the same live and after a restart. */
export interface CallInfo {
  /** Constant per confirmation: hand it to APIs that take one. */
  readonly idempotencyKey: string;
  /** Grows with every claim of this confirmation; 0 when nobody had to confirm. */
  readonly fence: number;
  readonly parents?: readonly string[] | undefined;
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly runId?: string | undefined;
  readonly signal: AbortSignal;
  readonly context: Context;
}
/** Any function of (arguments object, info). */
export type ToolFunction = { f(args: object, info: CallInfo): unknown }["f"];
export interface ToolTraits {
  /** Changes nothing: needs no person under a policy with rules, and runs in mode `read_only`. */
  readOnly?: boolean | undefined;
  /** Asks a person in every mode; only an allow of the session lets it run. */
  alwaysAsk?: boolean | undefined;
  /** Is itself a question to the person. */
  requiresUserInteraction?: boolean | undefined;
  /** May run again when the outcome is unknown. Recorded with the confirmation. */
  idempotent?: boolean | undefined;
  /** Whose syntax the argument `command` has: `true` is POSIX sh, the default; `false` is none. */
  shell?: boolean | "powershell" | "cmd" | undefined;
  /** The arguments that rules look at, by name or JSON Pointer, each as `command`, `url`, `path` or `text`. */
  subjects?: Readonly<Record<string, string>> | undefined;
}
/** Any Standard Schema (zod, valibot, arktype): types the arguments, and refuses wrong ones and wrong edits before anything else is asked. */
export interface Schema<A> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: A } | undefined;
  };
}
export interface ToolSpec<A, R> extends ToolTraits {
  /** The tool gets what the schema makes of the arguments. */
  input?: Schema<A> | undefined;
  run(args: A, info: CallInfo): R;
}
export type ToolMap = Readonly<
  Record<string, ToolFunction | (ToolTraits & { readonly input?: Schema<unknown> | undefined; run: ToolFunction })>
>;
export type ArgsOf<F> = F extends { run(args: infer A, info: CallInfo): unknown }
  ? A
  : F extends () => unknown
    ? // biome-ignore lint/complexity/noBannedTypes: a tool without arguments takes the empty object
      {}
    : F extends (args: infer A, info: CallInfo) => unknown
      ? A
      : never;
export type ResultOf<F> = F extends { run(args: never, info: CallInfo): infer R }
  ? Awaited<R>
  : F extends (args: never, info: CallInfo) => infer R
    ? Awaited<R>
    : never;
/** `toolCallId` is not optional: a call without its id cannot be joined, paired with its card or recovered. */
export type Guarded<A, R, D = Denial> = (
  args: A,
  call: { toolCallId: string; sessionId?: string | undefined } & Partial<CallOptions>,
) => Promise<R | D>;
export type GuardedTools<T extends ToolMap> = {
  readonly [K in keyof T]: Guarded<ArgsOf<T[K]>, ResultOf<T[K]>>;
};
/** What the model reads as the tool's result when the call was refused. */
export interface Denial {
  readonly status: "denied";
  readonly tool: string;
  readonly reason: string;
}
