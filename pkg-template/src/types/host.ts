import type { Call, ToolCall } from "./call.js";
import type { Basis, JsonObject } from "./words.js";

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
