// The user's own part of the README's hosts: an agent whose model is a script, and its tool.
import { AbstractAgent, type BaseEvent, EventType, type RunAgentInput } from "@ag-ui/client";
import type { Gate } from "ackgate";
import { Observable } from "rxjs";

let calls = 0;
export const tools = { delete_note: ({ id }: { id: string }) => ({ deleted: id, calls: ++calls }) };

export class NotesAgent extends AbstractAgent {
  readonly #gate: Pick<Gate, "execute">;

  constructor(gate: Pick<Gate, "execute">) {
    super();
    this.#gate = gate;
  }

  override clone(): NotesAgent {
    return new NotesAgent(this.#gate);
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      this.#turn(input, (event) => subscriber.next(event as unknown as BaseEvent)).then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    });
  }

  async #turn({ threadId, runId }: RunAgentInput, send: (event: object) => void): Promise<void> {
    const call = { toolCallId: `call-${runId}`, toolName: "delete_note", arguments: '{"id":"n1"}' };
    const { toolCallId } = call;
    send({ type: EventType.RUN_STARTED, threadId, runId });
    send({ type: EventType.TOOL_CALL_START, toolCallId, toolCallName: call.toolName });
    send({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta: call.arguments });
    send({ type: EventType.TOOL_CALL_END, toolCallId });
    const { content } = await this.#gate.execute(call);
    send({ type: EventType.TOOL_CALL_RESULT, messageId: `result-${runId}`, toolCallId, content });
    send({ type: EventType.RUN_FINISHED, threadId, runId });
  }
}
