import type { ToolCall } from "./call.js";
import type { Context, JsonObject, Scope, Status } from "./words.js";

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
export interface InboxFilter {
  user?: string | undefined;
  status?: Status | undefined;
}
/** A grant the person may save with an approval. */
export interface Suggestion {
  /** Empty: every call of the tool. */
  readonly content: string;
  readonly argumentsDigest?: string;
  readonly text: string;
  readonly scopeHint: Scope;
  /** With `policy.suggest`: which of the recent calls it would have covered. */
  readonly covered?: readonly ToolCall[];
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
  /** Every session with a confirmation, at least those of `filter.user`. */
  sessions?(filter?: InboxFilter): AsyncIterable<SessionKey>;
  /** Only one process can have it open. */
  readonly exclusive?: boolean;
  /** `false`: may lose acknowledged writes; recovery does not execute. */
  readonly durable?: boolean;
}
