// An agent whose model is a script.
import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import type { Gate } from "ackgate";
import { Observable } from "rxjs";

/** One tool call of the model. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly args: object;
  /** The MCP server it belongs to. */
  readonly server?: string;
  /** The client runs it. */
  readonly frontend?: true;
  /** Called as a function of `gate.tools`, not by `gate.execute`. */
  readonly direct?: true;
}
/** The calls of a step go out together; the next step waits for their results. */
export type Script = readonly (readonly Call[])[];

interface Setup {
  readonly gate: Gate;
  readonly script: Script;
  /** Told the messages that each run was given. */
  readonly given: RunAgentInput["messages"][];
  readonly fails: ReadonlySet<string>;
}

/** A run's events, as a loop sends them. */
export function eventsOf(loop: (send: (event: object) => void) => Promise<void>): Observable<BaseEvent> {
  return new Observable((subscriber) => {
    loop((event) => subscriber.next(event as BaseEvent)).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
  });
}

/** Goes on where the thread's tool messages end, and ends with a sentence. */
export class ScriptedAgent extends AbstractAgent {
  readonly #setup: Setup;

  constructor(setup: Setup) {
    super();
    this.#setup = setup;
  }

  override clone(): ScriptedAgent {
    return new ScriptedAgent(this.#setup);
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return eventsOf((send) => this.#loop(input, send));
  }

  async #loop({ threadId, runId, messages }: RunAgentInput, send: (event: object) => void): Promise<void> {
    this.#setup.given.push(messages);
    const answered = new Set(messages.map((message) => (message.role === "tool" ? message.toolCallId : "")));
    const shown = new Set(
      messages
        .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
        .map(({ id }) => id),
    );
    send({ type: "RUN_STARTED", threadId, runId });
    if (this.#setup.fails.has(runId)) throw new Error("the model cannot be reached");
    for (const step of this.#setup.script) {
      const due = step.filter(({ id }) => !answered.has(id));
      for (const call of due) {
        if (!shown.has(call.id)) announce(call, send);
      }
      await Promise.all(due.filter(({ frontend }) => !frontend).map((call) => this.#call(call, send)));
      if (due.some(({ frontend }) => frontend)) return send({ type: "RUN_FINISHED", threadId, runId });
    }
    const messageId = `text-${runId}`;
    send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: "Done." });
    send({ type: "TEXT_MESSAGE_END", messageId });
    send({ type: "RUN_FINISHED", threadId, runId });
  }

  async #call(call: Call, send: (event: object) => void): Promise<void> {
    const content = await (call.direct ? this.#direct(call) : this.#executed(call));
    send({ type: "TOOL_CALL_RESULT", messageId: `result-${call.id}`, toolCallId: call.id, content });
  }

  async #executed({ id, tool, args, server }: Call): Promise<string> {
    const call = { toolCallId: id, toolName: tool, arguments: JSON.stringify(args), server };
    return (await this.#setup.gate.execute(call)).content;
  }

  async #direct({ id, tool, args, server }: Call): Promise<string> {
    const name = server === undefined ? tool : `${server}/${tool}`;
    const run = this.#setup.gate.tools[name] as (args: object, call: { toolCallId: string }) => Promise<unknown>;
    return JSON.stringify(await run(args, { toolCallId: id }));
  }
}

function announce({ id, tool, args }: Call, send: (event: object) => void): void {
  const text = JSON.stringify(args);
  const half = text.length >> 1;
  send({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: tool });
  send({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: text.slice(0, half) });
  send({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: text.slice(half) });
  send({ type: "TOOL_CALL_END", toolCallId: id });
}
