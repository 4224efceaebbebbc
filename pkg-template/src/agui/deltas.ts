import { type AnyEvent, text } from "./events.js";

const DELTAS: Readonly<Record<string, string>> = {
  TEXT_MESSAGE_CONTENT: "messageId",
  REASONING_MESSAGE_CONTENT: "messageId",
  TOOL_CALL_ARGS: "toolCallId",
};

/** One event instead of two, where the second only adds to the text of the first. */
export function lengthened(before: AnyEvent | undefined, event: AnyEvent): AnyEvent | undefined {
  const field = DELTAS[event.type];
  if (field === undefined || before?.type !== event.type || before[field] !== event[field]) return undefined;
  return { ...before, delta: (text(before, "delta") ?? "") + (text(event, "delta") ?? "") };
}
