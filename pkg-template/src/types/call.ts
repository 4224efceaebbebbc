import type { Payload } from "./record.js";
import type { Given, JsonObject, Mode } from "./words.js";

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
/** The same fields for a whole run. `mode`: where the gate has one too, the stricter counts. */
export type RunScope = { sessionId: string; mode?: Mode | undefined } & CallOptions;
