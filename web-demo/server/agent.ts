import { AbstractAgent, type BaseEvent, EventType, type Message, type RunAgentInput } from "@ag-ui/client";
import type { Gate } from "ackgate";
import { Observable, type Subscriber } from "rxjs";
import { type Model, scripted } from "./model.ts";

/** A plain agent loop. The one line that knows of permission is `gate.execute`. */
export class NotesAgent extends AbstractAgent {
  readonly #gate: Pick<Gate, "execute">;
  readonly #model: Model;

  constructor(gate: Pick<Gate, "execute">, model: Model = scripted) {
    super();
    this.#gate = gate;
    this.#model = model;
  }

  override clone(): NotesAgent {
    return new NotesAgent(this.#gate, this.#model);
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      this.#loop(input, subscriber).then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    });
  }

  async #loop({ threadId, runId, messages: said }: RunAgentInput, subscriber: Subscriber<BaseEvent>): Promise<void> {
    const send = (event: BaseEvent & Record<string, unknown>) => subscriber.next(event);
    const messages: Message[] = [...said];
    send({ type: EventType.RUN_STARTED, threadId, runId });
    while (!subscriber.closed) {
      const { text, call } = await this.#model(messages);
      const id = `${runId}:${messages.length}`;
      if (text !== "") {
        send({ type: EventType.TEXT_MESSAGE_START, messageId: id, role: "assistant" });
        send({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta: text });
        send({ type: EventType.TEXT_MESSAGE_END, messageId: id });
      }
      if (call === undefined) break;
      const { id: toolCallId, name } = call;
      const args = JSON.stringify(call.args);
      send({ type: EventType.TOOL_CALL_START, toolCallId, toolCallName: name, parentMessageId: id });
      send({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta: args });
      send({ type: EventType.TOOL_CALL_END, toolCallId });
      const { content } = await this.#gate.execute({ toolCallId, toolName: name, arguments: args });
      const messageId = `result:${toolCallId}`;
      send({ type: EventType.TOOL_CALL_RESULT, messageId, toolCallId, content });
      const toolCalls = [{ id: toolCallId, type: "function" as const, function: { name, arguments: args } }];
      messages.push({ id, role: "assistant", content: text, toolCalls });
      messages.push({ id: messageId, role: "tool", toolCallId, content });
    }
    send({ type: EventType.RUN_FINISHED, threadId, runId });
  }
}
