// The public types of the root entry. Optional fields that users fill are `?: T | undefined`, so that
// `signal: options.abortSignal` compiles under exactOptionalPropertyTypes.

/** A tool's baseline. `allow` runs, `confirm` asks a person, `deny` never runs. */
export type Tier = "allow" | "confirm" | "deny";
/** What one policy source says: no opinion, endorse, force a person, absolute no. */
export type Verdict = "abstain" | "allow" | "confirm" | "deny";
/** How far a grant reaches. */
export type Scope = "session" | "global";
/** Where a confirmation stands. */
export type Status = "pending" | "approved" | "denied" | "canceled" | "expired" | "superseded";
/** Why a call ended without a person's decision. */
export type Basis =
  | "tier"
  | "verdict"
  | "endorsement"
  | "grant"
  | "duplicate"
  | "canceled"
  | "persist-failed"
  | "expired"
  | "superseded"
  | "no-human"
  | "invalid-arguments"
  | "engine-failed";
/** The stable codes of `AckError`. */
export type ErrorCode =
  | "not_found"
  | "already_settled"
  | "not_bound"
  | "run_active"
  | "bad_request"
  | "forbidden"
  | "conflict"
  | "state_corrupt"
  | "parked"
  | "taken_over"
  | "closed"
  | "bad_policy"
  | "bad_options"
  | "no_session"
  | "not_loaded"
  | "internal";
export type JsonObject = { readonly [key: string]: unknown };

/**
 * Who is asking. Yours to extend, once: `declare module "ackgate" { interface Context { role: "admin" | "member" } }`;
 * required fields are then required everywhere a context is given. It comes from the host only, never from a body.
 */
export interface Context {
  /** The person. Grants, `decidedBy` and the session's owner use it. */
  user?: string | undefined;
}
/** Makes `context` optional while nothing in Context is required. */
export type Given = {} extends Context ? { context?: Context | undefined } : { context: Context };

// ---------------------------------------------------------------------------------------- a tool call

/** The wire form. `arguments` is the JSON text as the model wrote it. */
export interface ToolCall {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The MCP server the tool comes from. */
  readonly server?: string | undefined;
  readonly arguments: string;
}
/** What your callbacks get: the wire form plus `input`, the same arguments parsed once and frozen. */
export interface Call extends ToolCall {
  readonly input: JsonObject;
}
/** What you hand in: `arguments` as text (best: what the model wrote is what is judged) or as an object. */
export interface CallInit {
  toolCallId: string;
  toolName: string;
  arguments: string | JsonObject;
  server?: string | undefined;
  /** May come from `gate.run`. */
  sessionId?: string | undefined;
}
/** Writes an event into the run that is open. */
export type Emit = (event: CustomEvent) => void | PromiseLike<void>;
export interface CustomEvent {
  type: "CUSTOM";
  name: string;
  value: Payload;
}
export type CallOptions = {
  /** A sub-agent's chain, outermost first. */
  parents?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  emit?: Emit | undefined;
  runId?: string | undefined;
} & Given;
/** The same fields for a whole run. */
export type RunScope = { sessionId: string } & CallOptions;

// ---------------------------------------------------------------------------------------- tools, declared once

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
  /** May run again when the outcome is unknown. Recorded with the confirmation. */
  idempotent?: boolean | undefined;
}
export interface ToolSpec<A, R> extends ToolTraits {
  run(args: A, info: CallInfo): R;
}
export type ToolMap = Readonly<Record<string, ToolFunction | (ToolTraits & { run: ToolFunction })>>;
export type ArgsOf<F> = F extends { run(args: infer A, info: CallInfo): unknown }
  ? A
  : F extends () => unknown
    ? {}
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

// ---------------------------------------------------------------------------------------- the gate

export type VerdictLike = Verdict | { readonly verdict: Verdict; readonly reason?: string | undefined };
/** A source on its own; in place, write a function under `sources`. Annotate the method: TypeScript widens a lone literal. */
export interface PolicySource {
  readonly name?: string | undefined;
  consult(call: Call, context: Context): VerdictLike | PromiseLike<VerdictLike>;
}

export interface GateOptions<
  T extends ToolMap = ToolMap,
  V extends Readonly<Record<string, VerdictLike>> = Readonly<Record<string, VerdictLike>>,
> {
  /** Where confirmations live. `memoryState()` forgets at a restart. */
  state: SessionState;
  /** Your functions, once: `gate.tools` are the gated ones, recovery runs the same ones. A function of the context for per-user or MCP tools. */
  tools?: T | ((context: Context) => T | PromiseLike<T>) | undefined;
  /** Tiers by tool name. */
  tiers?: { readonly [K in keyof NoInfer<T>]?: Tier | undefined } | undefined;
  /** From arguments. Asked first. `undefined`: no opinion. Synchronous; what needs I/O is a source. */
  tier?: ((call: Call, context: Context) => Tier | undefined) | undefined;
  /** For tools nobody listed. Never silent: a tool without a tier and no default is an error here. */
  defaultTier?: Tier | undefined;
  /** Your code that has a say in every call, by name. (An array of PolicySource for anonymous or shared ones.) */
  sources?:
    | { readonly [K in keyof V]: (call: Call, context: Context) => V[K] | PromiseLike<V[K]> }
    | readonly PolicySource[]
    | undefined;
  grants?: GrantSource | undefined;
  /** The user of calls without `context.user`. Default "user". */
  user?: string | undefined;
  /** Whose session it is, when the caller is not its owner. Default: `context.user`, else `user`. */
  owner?: ((sessionId: string, context: Context) => string | PromiseLike<string>) | undefined;
  /** Part of every storage key; the AG-UI side's app name. Default "ack". */
  app?: string | undefined;
  /** A confirmation nobody answered ends `expired` after so many milliseconds. Default: no limit. */
  timeoutMs?: number | undefined;
  /** `false`: no person can be asked; what needs one ends `no-human`. */
  interactive?: boolean | undefined;
  /** What a repeated tool-call id does. Default "join". */
  duplicate?: "join" | "ask" | "deny" | undefined;
  /** After a recovery: one run when no sibling is open any more ("all", default) or one per decision. */
  resume?: "each" | "all" | undefined;
  /** What a new message of the person does to open confirmations. Default "keep". */
  newMessage?: "keep" | "supersede" | undefined;
  /** The AG-UI custom event's name. Default "tool_confirmation". */
  eventName?: string | undefined;
  /** A source or grant look-up that takes longer counts as failed, in ms. Default: no limit. */
  sourceTimeoutMs?: number | undefined;
  /** How long an instance that stopped renewing still counts as alive, in ms. Default 15000. */
  leaseMs?: number | undefined;
  /** How often waiting calls read their record, in ms. Default 1000, 15000 when the store notifies. */
  pollMs?: number | undefined;
  /** A store call that takes longer is an error, in ms. Default 5000. */
  storeTimeoutMs?: number | undefined;
  /** How long `close` waits for running tools, in ms. Default 5000. */
  closeTimeoutMs?: number | undefined;
  /** 1 MiB, 256 KiB, 64 a session. */
  limits?:
    | { argumentsBytes?: number | undefined; resultBytes?: number | undefined; open?: number | undefined }
    | undefined;
  /** Is a run active on the session? Asked before a recovery. */
  runActive?: ((sessionId: string, context: Context) => boolean | PromiseLike<boolean>) | undefined;
  texts?: Partial<DenyTexts> | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
  /** Once for every automatic end, never for a person's decision. */
  onPermission?: ((event: PermissionEvent, context: Context) => void) | undefined;
}

export interface Gate<T extends ToolMap = ToolMap> {
  /** The gated functions of `tools`. Give these to the agent. When `tools` is a function: resolved by name at the call. */
  readonly tools: GuardedTools<T>;
  /** Judges. Writes nothing, fires nothing, asks nobody. */
  evaluate(call: CallInit, options?: CallOptions): Promise<Evaluation>;
  /** Judges and opens the confirmation where a person is needed; never waits, never claims. Asking again with the same id and arguments returns the same record with its present status. */
  request(
    call: CallInit,
    options?: CallOptions,
  ): Promise<Exclude<Evaluation, { disposition: "confirm" }> | { disposition: "confirm"; request: Payload }>;
  /** Judges, opens, waits for the person, claims. The tool is yours to run, once: the record is settled (`execution: "caller"`) before this returns allow. */
  authorize(call: CallInit, options?: CallOptions & { canEdit?: boolean | undefined }): Promise<Permission>;
  /** All of it: judges, opens, waits, claims, runs the tool of that name, settles. Never throws for a refusal or an unknown tool; `content` is the tool message for the model. */
  execute(call: CallInit, options?: CallOptions): Promise<Executed>;
  /** The gate around one function that is not in `tools`. It cannot be recovered after a restart unless `tools` knows the name. `denied` maps a refusal to a framework's result type. */
  guard<A, R, D = Denial>(
    name: string,
    run: (args: A, info: CallInfo) => R,
    options?: ToolTraits & { denied?: ((denial: Denial) => D) | undefined },
  ): Guarded<A, Awaited<R>, D>;
  /** Session, run, context, emit and signal for every gated call inside; kept across awaits, and inside returned async iterables and observables. Without AsyncLocalStorage it throws `no_session`: pass `sessionId` in the call. */
  run<R>(scope: RunScope, body: () => R): R;
  /** A person's answer. Returns when the call's result is settled and a recovered run has started. */
  decide(decision: Decision, options?: Given): Promise<DecideResult>;
  /** What is open in a session, oldest first. */
  pending(sessionId: string, options?: Given): Promise<PendingItem[]>;
  /** Ends everything open in a session as `superseded`; gives their number. */
  supersede(sessionId: string, options?: Given): Promise<number>;
  /** Who carries on after a recovery. `wrapAgent` does this for you. Binding again replaces. */
  resumeWith(runner: ResumeRunner): void;
  /** POST {base}/confirmation and GET {base}/confirmations. `identify` is required: it is the only thing between a thread id and an approval. Throw a Response (401, 403) to refuse. */
  handler(options: HandlerOptions): Handler;
  /** Stops waiting and leaves the records open for another instance. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
export interface HandlerOptions {
  identify: (request: Request) => Context | PromiseLike<Context>;
  /** Default "/ack". */
  base?: string | undefined;
}
/** Mounts anywhere a fetch handler does; another path is a 404. `matches` is for chaining by hand. */
export interface Handler {
  (request: Request): Promise<Response>;
  matches(request: Request | string): boolean;
}

export type Evaluation =
  | { disposition: "allow"; basis: Basis; source: string }
  | { disposition: "deny"; basis: Basis; source: string; reason: string }
  | { disposition: "confirm"; forced: boolean; reason: string; suggestions: readonly Suggestion[] };
/** `arguments` and `input` are what may run. */
export type Permission =
  | {
      disposition: "allow";
      basis: Basis | "human";
      arguments: string;
      input: JsonObject;
      /** Adds what happened, for replay. */
      settle(result: unknown): Promise<void>;
    }
  | { disposition: "deny"; basis: Basis | "human"; reason: string };
export type Executed =
  | { denied: false; content: string; result: unknown }
  | { denied: true; content: string; denial: Denial };
type Decide = { sessionId: string; confirmationId: string; decidedBy?: string | undefined };
export type Decision =
  | (Decide & { approved: true; remember?: Scope | undefined; note?: undefined })
  | (Decide & { approved: false; note?: string | undefined; remember?: undefined });
export interface DecideResult {
  readonly path: "live" | "recovery";
  readonly status: Status;
  /** The same answer had been given before. */
  readonly replayed?: true;
}
export interface ResumeRunner {
  run(
    input: RunAgentInput,
    context: Context,
  ): AsyncIterable<unknown> | { subscribe(observer: object): unknown } | PromiseLike<AsyncIterable<unknown>>;
}
export interface RunAgentInput {
  threadId: string;
  runId: string;
  messages: { id: string; role: "tool"; toolCallId: string; content: string }[];
  tools: never[];
  context: never[];
  state?: unknown;
  forwardedProps?: unknown;
}

// ---------------------------------------------------------------------------------------- records, grants, state

/** One confirmation, as it is sent and listed. Times are ms since the epoch. */
export interface Payload {
  readonly confirmationId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly server?: string;
  readonly arguments?: JsonObject;
  readonly sessionId: string;
  readonly userId: string;
  readonly status: Status;
  readonly decidedBy?: string;
  readonly createdAt: number;
  /** Lower-case hex SHA-256 of what runs: `["ack.call.1", server, toolName, arguments]` in RFC 8785 form. */
  readonly argumentsDigest: string;
  /** A source insists on a person; no grant can answer it. */
  readonly forced: boolean;
  readonly reason?: string;
  readonly suggestions?: readonly Suggestion[];
  readonly expiresAt?: number;
  readonly askedBy?: string;
  readonly settledAt?: number;
  readonly editedArguments?: JsonObject;
  readonly runId?: string;
  readonly parents?: readonly string[];
  readonly refusedBefore?: number;
}
export interface PendingItem extends Payload {
  /** A run waits for the answer. */
  readonly live: boolean;
}
/** A grant the person may save with an approval. */
export interface Suggestion {
  /** Empty: every call of the tool. */
  readonly content: string;
  readonly argumentsDigest?: string;
  readonly text: string;
  readonly scopeHint: Scope;
}
/** What a person allowed beforehand. An empty `sessionId` is global. */
export interface Grant {
  id: string;
  app: string;
  argumentsDigest?: string | undefined;
  userId: string;
  sessionId: string;
  toolName: string;
  createdBy: string;
  createdAt: number;
  server?: string | undefined;
  content?: string | undefined;
  expiresAt?: number | undefined;
  usesLeft?: number | undefined;
}
export interface GrantQuery {
  app: string;
  userId: string;
  sessionId: string;
  toolName: string;
  server?: string | undefined;
  arguments: string;
}
/** `lookup` gives candidates; the core matches them, session before global. `save` inserts by id, an existing id changes nothing. */
export interface GrantSource {
  lookup(
    query: GrantQuery,
    context: Context,
  ): Grant | readonly Grant[] | undefined | PromiseLike<Grant | readonly Grant[] | undefined>;
  save(grant: Grant, context: Context): void | PromiseLike<void>;
  list?(filter: Partial<GrantQuery>, context: Context): AsyncIterable<Grant>;
  revoke?(grant: Grant, context: Context): PromiseLike<boolean>;
  /** Takes one use atomically; false when none was left. Without it a grant with `usesLeft` never matches. */
  consume?(grant: Grant, context: Context): PromiseLike<boolean>;
}
export interface SessionKey {
  readonly app: string;
  readonly user: string;
  readonly session: string;
}
/** Ids carry their kind as a prefix: `c:` `q:` `r:` `h:`. */
export type RecordKind = "confirmation" | "question" | "resumption" | "history";
export interface Versioned {
  readonly id: string;
  readonly record: string;
  readonly version: string;
  /** Since the last write, by the store's clock. An exclusive store counts a record from before this opening as infinitely old (Number.MAX_SAFE_INTEGER). */
  readonly ageMs: number;
}
/** The persistence port. `sessionStateSuite` tests every sentence below. */
export interface SessionState {
  /** A read that starts after an acknowledged write sees it, from every process. */
  read(session: SessionKey, id: string): Promise<Versioned | undefined>;
  /** Ascending by id, those after `after`. */
  list(session: SessionKey, kind: RecordKind, after?: string): Promise<Versioned[]>;
  /** `ifVersion` undefined creates and conflicts when the id exists; `record` null deletes. A version is never used twice for a key. */
  write(
    session: SessionKey,
    id: string,
    record: string | null,
    ifVersion: string | undefined,
  ): Promise<{ version: string } | { conflict: true }>;
  /** Calls back after a write, also another process's. */
  subscribe?(session: SessionKey, changed: (id: string) => void): Promise<() => void>;
  /** Only one process can have it open. */
  readonly exclusive?: boolean;
  /** `false`: may lose acknowledged writes; recovery does not execute. */
  readonly durable?: boolean;
}

export interface PermissionEvent {
  readonly call: ToolCall;
  readonly allowed: boolean;
  readonly basis: Basis;
  /** The first effective named source, for `verdict` and `endorsement`; else empty. */
  readonly source: string;
}
/** What the model reads. Each default is English and says not to retry; keep that in your own. */
export interface DenyTexts {
  humanDenied(call: Call): string;
  tierDisabled(toolName: string): string;
  canceled(): string;
  expired(): string;
  superseded(): string;
  noHuman(): string;
  persistFailed(): string;
  engineFailed(): string;
  invalidArguments(detail: string): string;
  unavailable(toolName: string, detail: string): string;
}
export interface Logger {
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
  info?(message: string, fields?: JsonObject): void;
  debug?(message: string, fields?: JsonObject): void;
}
export interface Clock {
  now(): number;
  /** Gives the function that takes it back. */
  setTimeout(f: () => void, ms: number): () => void;
}
