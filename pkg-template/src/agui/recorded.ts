import type { RunAgentInput } from "@ag-ui/client";
import type { View } from "../wasm/types.js";
import { type AnyMessage, messagesOf } from "./events.js";
import { resultMessage, withResults } from "./repair.js";

export interface Result {
  readonly toolCallId: string;
  readonly content: string;
}

/**
 * The input with what the records say about its calls, and `results` put behind theirs. A client's own tool message for a
 * call that has a record is an echo of the answer, or an older copy: it is dropped, or says what the record says.
 */
export function withRecorded(input: RunAgentInput, views: readonly View[], results: readonly Result[]): RunAgentInput {
  if (views.length === 0 && results.length === 0) return input;
  const records = new Map(views.map((view) => [view.payload.toolCallId, view]));
  const seen = new Set<string>();
  const messages = messagesOf(input).flatMap((message): AnyMessage[] => {
    const { role, toolCallId = "" } = message;
    const view = role === "tool" ? records.get(toolCallId) : undefined;
    if (!view) return [message];
    if (view.stage !== "settled" || seen.has(toolCallId)) return [];
    seen.add(toolCallId);
    return [view.result === undefined ? message : { ...message, content: view.result }];
  });
  const added = results
    .filter(({ toolCallId }) => !seen.has(toolCallId))
    .map(({ toolCallId, content }) => resultMessage(toolCallId, content));
  return withResults({ ...input, messages: messages as unknown as RunAgentInput["messages"] }, added);
}
