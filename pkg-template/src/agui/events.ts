import type { BaseEvent, RunAgentInput } from "@ag-ui/client";
import type { Payload } from "../types.js";

/** An AG-UI event as this entry reads it: its type, and fields that are looked at one by one. */
export interface AnyEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
export interface StoredCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
/** A message of a thread; fields of newer protocol versions are carried along. */
export interface AnyMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly StoredCall[];
  readonly [field: string]: unknown;
}

// AG-UI types `type` as an enum, of which each client line has its own: the wire's words are what both share.
export const seen = (event: BaseEvent): AnyEvent => event as unknown as AnyEvent;
export const sent = (event: AnyEvent): BaseEvent => event as unknown as BaseEvent;
export const messagesOf = (input: RunAgentInput): readonly AnyMessage[] => input.messages as unknown as AnyMessage[];

/** The field as a string, or undefined. */
export function text(event: { readonly [field: string]: unknown }, field: string): string | undefined {
  const value = event[field];
  return typeof value === "string" ? value : undefined;
}

/** After one of these nothing may follow in the run. */
export function isTerminal(event: AnyEvent): boolean {
  return event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
}

/** The outcome of a run that waits for answers. */
export interface InterruptOutcome {
  readonly type: "interrupt";
  readonly interrupts: readonly { readonly id: string; readonly [field: string]: unknown }[];
}
export function isInterrupt(outcome: unknown): outcome is InterruptOutcome {
  const { type, interrupts } = (outcome ?? {}) as { type?: unknown; interrupts?: unknown };
  return type === "interrupt" && Array.isArray(interrupts);
}

/** The names of the tools that the client itself runs. */
export function frontendTools(input: RunAgentInput): ReadonlySet<string> {
  return new Set((input.tools ?? []).map(({ name }) => name));
}

/** The event with its fields and the input's ids, for the run's own ends. */
export function finished(input: RunAgentInput, fields: Record<string, unknown> = {}): AnyEvent {
  return { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId, ...fields };
}

export function started(input: RunAgentInput): AnyEvent {
  return { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
}

/** The tools called in messages, by call id. */
export function callNames(messages: readonly AnyMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { toolCalls } of messages) {
    for (const call of Array.isArray(toolCalls) ? toolCalls : []) names.set(call.id, call.function?.name ?? "");
  }
  return names;
}

/** The message of the call that a confirmation is about. */
export function callMessage({ toolCallId, toolName, arguments: input = {} }: Payload): AnyMessage {
  const call = { name: toolName, arguments: JSON.stringify(input) };
  return { id: toolCallId, role: "assistant", toolCalls: [{ id: toolCallId, type: "function", function: call }] };
}
