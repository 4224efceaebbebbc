import { bad } from "../checks.js";
import type { JsonObject } from "../types.js";

/** What the model says at one go. A turn without calls ends its answer to the user. */
export interface ModelTurn {
  readonly text?: string | undefined;
  readonly calls?: readonly ScriptedCall[] | undefined;
}
export interface ScriptedCall {
  readonly toolName: string;
  /** An object, or the text as the model would write it. Default `{}`. */
  readonly arguments?: JsonObject | string | undefined;
  readonly server?: string | undefined;
  /** Default `call-1`, `call-2`, … through the script. */
  readonly toolCallId?: string | undefined;
}
/** `gate.execute` takes it as it is. */
export interface ModelCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly arguments: string;
  readonly server?: string;
}
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
}
/** What the model reads of a conversation; messages of AG-UI and of most frameworks fit. */
export interface ModelMessage {
  readonly role: string;
  readonly toolCallId?: string | undefined;
}
export type ScriptedModel = (messages: readonly ModelMessage[]) => ModelAnswer;

/**
 * A model that says what the script says. It keeps nothing: what comes next follows from the messages, also after a
 * restart. A call is over when a message with `role: "tool"` and its `toolCallId` is there; each message with
 * `role: "user"` after the first goes on behind the next turn without calls. Where the script has ended it throws.
 */
export function scriptedModel(turns: readonly ModelTurn[]): ScriptedModel {
  const parts = partsOf(turns);
  return (messages) => {
    const users = Math.max(1, messages.filter(({ role }) => role === "user").length);
    const part = parts[users - 1];
    if (part === undefined) throw new Error(`the script has no turn for message ${users} of the user`);
    const answered = new Set(messages.flatMap(({ role, toolCallId }) => (role === "tool" ? [toolCallId] : [])));
    for (const { text, calls } of part) {
      const open = calls.filter(({ toolCallId }) => !answered.has(toolCallId));
      if (calls.length === 0 || open.length === calls.length) return { text, calls };
      if (open.length > 0) return { text: "", calls: open };
    }
    return { text: "", calls: [] };
  };
}

/** The turns, cut behind each one without calls. */
function partsOf(turns: readonly ModelTurn[]): ModelAnswer[][] {
  const ids = new Set<string>();
  const parts: ModelAnswer[][] = [];
  let ended = true;
  for (const { text = "", calls = [] } of turns) {
    if (ended) parts.push([]);
    parts.at(-1)?.push({ text, calls: calls.map((call) => callOf(call, ids)) });
    ended = calls.length === 0;
  }
  return parts;
}

function callOf({ toolName, server, toolCallId, arguments: given = {} }: ScriptedCall, ids: Set<string>): ModelCall {
  const id = toolCallId ?? `call-${ids.size + 1}`;
  if (ids.has(id)) throw bad(`the script has two calls with the id \`${id}\``);
  ids.add(id);
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return { toolCallId: id, toolName, arguments: text, ...(server !== undefined && { server }) };
}
