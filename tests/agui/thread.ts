// What a thread's messages must be after a run, for each client line.
import type { Message } from "@ag-ui/client";
import type { ClientLine } from "./lines.ts";

export const words = (id: string, role: "user" | "assistant", content: string): Message => ({ id, role, content });
export const ASKED = words("u1", "user", "tidy up");
/** What this host tells its model when a person said no. */
export const DECLINED = "the person said no. Do not retry it.";
export const done = (runId: string): Message => words(`text-${runId}`, "assistant", "Done.");

export function called(id: string, name: string, args: object): Message {
  return {
    id,
    role: "assistant",
    toolCalls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  };
}

export function answered(toolCallId: string, content: unknown): Message {
  return { id: `result-${toolCallId}`, role: "tool", toolCallId, content: JSON.stringify(content) };
}

/** The messages in the order they came: later lines put a result behind its call, the earliest one at the end. */
export function thread(line: ClientLine, came: readonly Message[]): Message[] {
  return line.placesResults ? stored(...came) : [...came];
}

/** The history keeps a result behind its call, whoever asks. */
export function stored(...came: Message[]): Message[] {
  const calls = (message: Message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []);
  const results = (message: Message) =>
    calls(message).flatMap(({ id }) => came.filter((each) => each.role === "tool" && each.toolCallId === id));
  return came.filter(({ role }) => role !== "tool").flatMap((message) => [message, ...results(message)]);
}

/** Without what the gateway may choose: the ids of messages, and the order of results that come together. */
export function loose(messages: readonly Message[]): unknown[] {
  const groups: Message[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === "tool" && last?.[0]?.role === "tool") last.push(message);
    else groups.push([message]);
  }
  const key = (message: Message) => (message.role === "tool" ? message.toolCallId : "");
  return groups.flatMap((group) =>
    group.sort((a, b) => (key(a) < key(b) ? -1 : 1)).map(({ id: _, ...message }) => message),
  );
}
