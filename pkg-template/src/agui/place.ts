import type { AnyMessage } from "./events.js";

/** Puts a tool message where model providers want it: behind its call and the results already there. */
export function placed(messages: readonly AnyMessage[], message: AnyMessage): AnyMessage[] {
  const all = [...messages];
  const asked = all.find((each) => each.toolCalls?.some(({ id }) => id === message.toolCallId));
  if (message.role !== "tool" || asked === undefined) return [...all, message];
  let at = all.indexOf(asked) + 1;
  while (all[at]?.role === "tool") at++;
  all.splice(at, 0, message);
  return all;
}

/** Adds or replaces by id; a tool message also replaces the one that answers the same call. */
export function merged(messages: readonly AnyMessage[], changes: Iterable<AnyMessage>): AnyMessage[] {
  let all = [...messages];
  for (const change of changes) {
    const at = all.findIndex((each) => each.id === change.id || answersSame(each, change));
    if (at < 0) all = placed(all, change);
    else all[at] = change;
  }
  return all;
}

function answersSame(one: AnyMessage, other: AnyMessage): boolean {
  return one.role === "tool" && other.role === "tool" && one.toolCallId === other.toolCallId;
}
