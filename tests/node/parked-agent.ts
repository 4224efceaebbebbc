// An agent that makes its calls together, and speaks when each has a result.
import type { Message, RunAgentInput } from "@ag-ui/client";
import type { Gate } from "ackgate";
import { type Event, ScriptedAgent } from "./agui-fakes.ts";

/** The model was asked to go on: in which run, and with which tool messages. */
export interface Said {
  readonly runId: string;
  readonly results: readonly (readonly [toolCallId: string, content: string])[];
}
interface Setup {
  readonly gate: Pick<Gate, "execute">;
  readonly calls: readonly string[];
  said(said: Said): void;
}

export class NotesAgent extends ScriptedAgent {
  readonly #setup: Setup;

  constructor(setup: Setup) {
    super((each, emit) => turn(setup, each, emit));
    this.#setup = setup;
  }

  override clone(): NotesAgent {
    return new NotesAgent(this.#setup);
  }
}

async function turn(
  { gate, calls, said }: Setup,
  { threadId, runId, messages }: RunAgentInput,
  send: (event: Event) => void,
): Promise<void> {
  const results = resultsIn(messages);
  const shown = messages.flatMap((each) => (each.role === "assistant" ? (each.toolCalls ?? []) : []));
  send({ type: "RUN_STARTED", threadId, runId });
  const due = calls.filter((id) => !results.some(([answered]) => answered === id));
  for (const id of due) {
    if (shown.some((call) => call.id === id)) continue;
    send({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: "delete_note" });
    send({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: argumentsOf(id) });
    send({ type: "TOOL_CALL_END", toolCallId: id });
  }
  const execute = async (id: string): Promise<void> => {
    const call = { toolCallId: id, toolName: "delete_note", arguments: argumentsOf(id) };
    const { content } = await gate.execute(call);
    results.push([id, content]);
    send({ type: "TOOL_CALL_RESULT", messageId: `result-${id}`, toolCallId: id, content });
  };
  await Promise.all(due.map(execute));
  said({ runId, results });
  const messageId = `text-${runId}`;
  send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Done." });
  send({ type: "TEXT_MESSAGE_END", messageId });
  send({ type: "RUN_FINISHED", threadId, runId });
}

function argumentsOf(id: string): string {
  return JSON.stringify({ id });
}

/** The tool messages of a thread, by the ids of their calls. */
export function resultsIn(messages: readonly Message[]): [string, string][] {
  return messages.flatMap((each): [string, string][] =>
    each.role === "tool" ? [[each.toolCallId, String(each.content)]] : [],
  );
}
