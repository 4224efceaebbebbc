import type { RunAgentInput } from "@ag-ui/client";
import type { HostSide } from "../internal.js";
import { type AnyEvent, callNames, frontendTools, messagesOf, text } from "./events.js";

/** Watches a run for results of tools that never passed the gate, and logs each such call once. */
export function watchUngated(host: HostSide, input: RunAgentInput): (event: AnyEvent) => void {
  const frontend = frontendTools(input);
  const names = callNames(messagesOf(input));
  // Results that came with the input were gated when they were made, maybe on another instance.
  const settled = new Set(messagesOf(input).map(({ toolCallId }) => toolCallId));

  return (event) => {
    const toolCallId = text(event, "toolCallId");
    if (toolCallId === undefined) return;
    const named = text(event, "toolCallName");
    if (named !== undefined) names.set(toolCallId, named);
    if (event.type !== "TOOL_CALL_RESULT" || settled.has(toolCallId)) return;
    settled.add(toolCallId);
    const toolName = names.get(toolCallId) ?? "";
    if (frontend.has(toolName) || host.passed(input.threadId, toolCallId)) return;
    host.logger.warn(`ungated: \`${toolName}\` ran without the gate; call it by \`gate.execute\` or \`gate.tools\``, {
      event: "ungated",
      toolName,
      toolCallId,
      sessionId: input.threadId,
    });
    host.ungated({ sessionId: input.threadId, toolCallId, toolName });
  };
}
