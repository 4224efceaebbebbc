import type { RunAgentInput } from "@ag-ui/client";
import type { HostSide } from "../internal.js";
import type { Context } from "../types.js";
import { type AnyMessage, callNames, frontendTools, messagesOf } from "./events.js";
import { placed } from "./place.js";

const UNKNOWN = "the outcome of this call is unknown. Do not retry it without asking.";

/** The tool messages that a broken turn lacks: what the gate knows, else that nobody knows. */
export async function missingResults(
  input: RunAgentInput,
  host: HostSide,
  context: Context,
): Promise<readonly AnyMessage[]> {
  const messages = messagesOf(input);
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId));
  const frontend = frontendTools(input);
  const open = [...callNames(messages)].filter(([id, name]) => !answered.has(id) && !frontend.has(name));
  if (open.length === 0) return [];
  const ids = open.map(([id]) => id);
  const known = await host.results(input.threadId, ids, context);
  return open.map(([toolCallId, tool]) => resultMessage(toolCallId, known.get(toolCallId) ?? refusal(tool, UNKNOWN)));
}

/** The input with the messages put behind their calls; the input itself when there are none. */
export function withResults(input: RunAgentInput, results: readonly AnyMessage[]): RunAgentInput {
  if (results.length === 0) return input;
  const messages = results.reduce(placed, [...messagesOf(input)]);
  return { ...input, messages: messages as unknown as RunAgentInput["messages"] };
}

/** A call's result as a message of the gate's own. */
export function resultMessage(toolCallId: string, content: string): AnyMessage {
  return { id: `result:${toolCallId}`, role: "tool", toolCallId, content };
}

/** Why a call has no result, for the model. */
export function refusal(tool: string, reason: string): string {
  return JSON.stringify({ status: "denied", tool, reason });
}
