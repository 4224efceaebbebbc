import type { Scope } from "./calls.js";
import type { Answer } from "./decide.js";
import type { Answered, TakenUp } from "./thread.js";
import type {
  Clock,
  Context,
  Logger,
  Payload,
  PendingItem,
  ResumeRunner,
  SessionKey,
  SessionState,
  ToolCall,
} from "./types.js";
import type { View } from "./wasm/types.js";

/** Where a gate keeps what the package's own host entries (`ackgate/agui`) need and users do not. */
export const HOST: unique symbol = Symbol.for("ackgate.host");

export type Heard = (request: Payload, context: Context) => void;

export interface HostSide {
  readonly state: SessionState;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly eventName: string;
  /** The most bytes of a call's arguments. */
  readonly argumentsBytes: number;
  /** How long what a process holds is its own without being renewed, by the store's clock. */
  readonly leaseMs: number;
  readonly newMessage: "keep" | "supersede";
  /** The storage key of a session. Throws `not_found` for anybody but its owner. */
  key(sessionId: string, context: Context): Promise<SessionKey>;
  /** Like `gate.resumeWith`, with the runner's own knowledge of active runs. */
  bind(runner: ResumeRunner, runActive?: (session: SessionKey) => boolean): void;
  /** What is open in a session, now and whenever that changes. */
  openLists(sessionId: string, context: Context, stop: AbortSignal): Promise<AsyncIterable<PendingItem[]>>;
  /** The session's confirmations as they are now. Throws `not_found` for anybody but its owner. */
  views(sessionId: string, context: Context): Promise<readonly View[]>;
  /** Records the answers that come with a run. */
  answerAll(sessionId: string, answers: readonly Answer[], context: Context): Promise<readonly Answered[]>;
  /** Carries out in a run what was answered without one. */
  takeUp(scope: Scope, ids: readonly string[]): Promise<TakenUp>;
  /** Carries on with what was answered meanwhile, in the background. */
  carryOn(sessionId: string, context: Context): void;
  /** Calls back with each open question that a call of this gate comes to, and with the call's context. Gives the function that takes it back. */
  asked(heard: Heard): () => void;
  /** What the gate's tools are called, guarded ones too; undefined where that is not known before a call. */
  toolNames(): readonly string[] | undefined;
  /** Now, and again whenever something of a session may have changed, until `stop` or the gate closes. */
  changes(session: SessionKey, stop: AbortSignal): AsyncIterable<undefined>;
  /** Aborts when the gate closes. */
  readonly closing: AbortSignal;
  /** What the records say of these confirmations; one without a readable record is absent. */
  payloads(session: SessionKey, confirmationIds: readonly string[]): Promise<Map<string, Payload>>;
  /** Audits a call that never passed the gate. */
  ungated(call: Omit<ToolCall, "arguments">): void;
  /** True when a call of this id passed the gate on this instance. */
  passed(sessionId: string, toolCallId: string): boolean;
  /** The tool messages of these calls by tool-call id, now counted as delivered; a call without a record is absent. */
  results(sessionId: string, toolCallIds: readonly string[], context: Context): Promise<Map<string, string>>;
}

/** The host side of a gate made by this package. */
export function hostOf(gate: object): HostSide {
  return (gate as { [HOST]: HostSide })[HOST];
}
