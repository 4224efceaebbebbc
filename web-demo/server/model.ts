import type { Message } from "@ag-ui/client";
import { sentence } from "./sentences.ts";

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly id?: string };
}
/** What a model answers with: some text, and maybe one tool to call. */
export interface Answer {
  readonly text: string;
  readonly call?: ModelCall;
}
export type Model = (messages: readonly Message[]) => Answer | Promise<Answer>;

type Step = Omit<ModelCall, "id">;
interface Plan {
  readonly opening: string;
  readonly steps: readonly Step[];
}

const CLEAN_UP: Plan = {
  opening: "I'll look at n1, then delete n2 and n3.",
  steps: [
    { name: "read_note", args: { id: "n1" } },
    { name: "delete_note", args: { id: "n2" } },
    { name: "delete_note", args: { id: "n3" } },
  ],
};
const WIPE: Plan = { opening: "I'll wipe all notes.", steps: [{ name: "wipe_notes", args: {} }] };
const LIST: Plan = { opening: "I'll look.", steps: [{ name: "list_notes", args: {} }] };

function planFor(wish: string): Plan {
  if (/\b(wipe|everything)\b/i.test(wish)) return WIPE;
  if (/\b(list|which|show)\b/i.test(wish)) return LIST;
  return CLEAN_UP;
}

/** The default model, a script. It keeps nothing: what comes next follows from the messages, also after a restart. */
export const scripted: Model = (messages) => {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const wish = messages[start];
  if (wish === undefined) return { text: "What shall I do with your notes?" };
  const { opening, steps } = planFor(typeof wish.content === "string" ? wish.content : "");
  const turn = messages.slice(start + 1);
  const told = turn.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const results = told.map(({ id, function: { name, arguments: text } }) => {
    const result = turn.find((message) => message.role === "tool" && message.toolCallId === id);
    return sentence(name, text, String(result?.content ?? ""));
  });
  const step = steps[told.length];
  if (step === undefined) return { text: results.map(({ text }) => text).join(" ") };
  const last = results.at(-1);
  const text = last === undefined ? opening : last.refused ? `${last.text} I'll go on with the rest.` : "";
  return { text, call: { id: `${wish.id}:${told.length + 1}`, ...step } };
};
