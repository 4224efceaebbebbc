import type { Call, ToolCall } from "./call.js";
import type { Basis, JsonObject } from "./words.js";

export interface PermissionEvent {
  readonly call: ToolCall;
  readonly allowed: boolean;
  readonly basis: Basis;
  /** The first effective named source, for `verdict` and `endorsement`; else empty. */
  readonly source: string;
}
/** What became of one call. */
export interface AuditRecord {
  readonly call: Omit<ToolCall, "arguments">;
  /** The call's digest as it was judged; empty where its arguments can't be read or nobody judged it. */
  readonly digest: string;
  readonly disposition: "allow" | "deny";
  /** `human`: a person decided. `ungated`: its result was seen in a run, and it never passed the gate. */
  readonly basis: Basis | "human" | "ungated";
  readonly source: string;
  /** The id of the rule that decided. */
  readonly rule?: string;
  readonly decidedBy?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What is known of the tool's run. `caller`: it is the caller's. `late`: it ran here, after another instance had settled it. */
  readonly execution?: "none" | "ran" | "failed" | "unknown" | "caller" | "late";
  /** The digest of the arguments as a person edited them. */
  readonly effectiveDigest?: string;
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
