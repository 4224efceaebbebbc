import type { Call, CallInit, CallOptions, RunScope } from "./call.js";
import type { AuditRecord, Clock, DenyTexts, Logger, PermissionEvent } from "./host.js";
import type { Explanation, Policy, PolicyDocument } from "./policy.js";
import type { GrantOffer, GrantSource, InboxFilter, Payload, PendingItem, SessionState, Suggestion } from "./record.js";
import type { CallInfo, Denial, Guarded, GuardedTools, ToolMap, ToolTraits } from "./tool.js";
import type { Basis, Context, Given, JsonObject, Mode, Scope, Status, Tier, Verdict } from "./words.js";

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
  /** Rules as data; they are asked first, as the source `rules`. */
  policy?: Policy | PolicyDocument | undefined;
  /** Tiers by tool name; where the policy's document says one too, the stricter counts. */
  tiers?: { readonly [K in keyof NoInfer<T>]?: Tier | undefined } | undefined;
  /** From arguments. Asked first. `undefined`: no opinion. Synchronous; what needs I/O is a source. */
  tier?: ((call: Call, context: Context) => Tier | undefined) | undefined;
  /** For tools nobody listed; where the policy's document says one too, the stricter counts. A policy with rules makes it "confirm". Never silent: a tool without a tier and no default is an error here. */
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
  /** Who may settle a confirmation. Default: only the session's own user. A refused person hears `not_found`, the session's user `forbidden`. */
  mayDecide?: ((request: Payload, context: Context) => boolean | PromiseLike<boolean>) | undefined;
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
  /** `true`: an approval that is remembered also answers the session's other waiting questions that it covers, unless a source insists on a person. */
  settleSiblings?: boolean | undefined;
  /** `true`: an approval must name the digest of what the person was shown (`expectedDigest`). */
  requireDigest?: boolean | undefined;
  /** What a new message of the person does to open confirmations. Default "keep". */
  newMessage?: "keep" | "supersede" | undefined;
  /** How much runs without a question, for all calls or by call; the policy's own mode may be stricter. A function that throws, or gives no mode, means `read_only`. */
  mode?: Mode | ((call: Call, context: Context) => Mode) | undefined;
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
  /** How long a confirmation is kept whole once its result was delivered, in ms, and how many of a session. Older ones and more shrink to a tombstone, which lives as long as the session. Default: 1 hour, 100. */
  keep?: { ms?: number | undefined; count?: number | undefined } | undefined;
  /** Checks arguments against a JSON Schema (`inputSchema` of the policy's `tools`): what is wrong with them, or undefined. `ackgate/schema` makes one. */
  validate?: ((schema: object, value: unknown) => string | undefined) | undefined;
  /** Is a run active on the session? Asked before a recovery. */
  runActive?: ((sessionId: string, context: Context) => boolean | PromiseLike<boolean>) | undefined;
  texts?: Partial<DenyTexts> | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
  /** Once for every automatic end, never for a person's decision. */
  onPermission?: ((event: PermissionEvent, context: Context) => void) | undefined;
  /** Once for every call, automatic or human, when its end is stored or its tool has run. Never argument values. */
  onAudit?: ((record: AuditRecord) => void) | undefined;
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
  /** Judges, opens, waits for the person, claims. The tool is yours to run, once: the record is settled (`execution: "caller"`) before this returns allow. With `canEdit` the person may change the arguments: run the `arguments` of the answer. */
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
  /** What is open in a session, oldest first; of another user's session what `mayDecide` admits. */
  pending(sessionId: string, options?: Given): Promise<PendingItem[]>;
  /** What is open in every session and the person may decide, session by session. Throws `bad_options` where the store can't list sessions. */
  inbox(filter?: InboxFilter, options?: Given): AsyncIterable<PendingItem>;
  /** Swaps the policy; calls in flight finish on the old one. From inside a callback of an evaluation (`tier`, `mode`, `preapprove`, `realPath`) it throws `conflict`. */
  setPolicy(policy: Policy | PolicyDocument): void;
  /** Everything `evaluate` sees, as a trace and in words; no record, no event, no use taken. */
  explain(call: CallInit, options?: CallOptions): Promise<Explanation>;
  /** Ends everything open in a session as `superseded`; gives their number. */
  supersede(sessionId: string, options?: Given): Promise<number>;
  /** Ends everything in a session that nobody has begun to carry out as `canceled`; gives the number. Call it before you delete a session. */
  cancelSession(sessionId: string, options?: Given): Promise<number>;
  /** Ends what is past its deadline and carries on with what dead instances left, as the sessions' users; call it now and then. Gives how many confirmations were carried on with. Covers the sessions the store lists, or else those this instance has seen. */
  sweep(): Promise<number>;
  /** Who carries on after a recovery. `wrapAgent` does this for you. Binding again replaces. */
  resumeWith(runner: ResumeRunner): void;
  /** POST {base}/confirmation, GET {base}/confirmations, its changes as server-sent events at …/stream and, with `publicPolicy`, GET {base}/policy. `identify` is required: it is the only thing between a thread id and an approval. Throw a Response (401, 403) to refuse. */
  handler(options: HandlerOptions): Handler;
  /** Stops waiting and leaves the records open for another instance. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
export interface HandlerOptions {
  identify: (request: Request) => Context | PromiseLike<Context>;
  /** Default "/ack". */
  base?: string | undefined;
  /** What GET {base}/policy shows; default nothing, the gate's own policy is never shown by itself. */
  publicPolicy?: Policy | PolicyDocument | undefined;
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
type Decide = {
  sessionId: string;
  confirmationId: string;
  /** The `argumentsDigest` of what the person was shown; `conflict` when it is another one. */
  expectedDigest?: string | undefined;
  decidedBy?: string | undefined;
};
export type Decision =
  | (Decide & {
      approved: true;
      /** Save a grant, for this session or for all: the one in `grant`, else the first suggestion. */
      remember?: Scope | undefined;
      grant?: GrantOffer | undefined;
      /** All of the arguments that shall run instead, as text or as an object. `bad_request` when they do not fit, `forbidden` when the policy denies them; the card stays. */
      editedArguments?: string | JsonObject | undefined;
      note?: undefined;
    })
  | (Decide & {
      approved: false;
      /** Goes to the model. */
      note?: string | undefined;
      remember?: undefined;
      grant?: undefined;
      editedArguments?: undefined;
    });
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
