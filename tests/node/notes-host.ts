// A host as a user would write it: guarded tools, an agent whose model is a script, one HTTP server on a free port.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AbstractAgent, type BaseEvent, EventType, HttpAgent, type RunAgentInput } from "@ag-ui/client";
import {
  createGate,
  type Gate,
  type GateOptions,
  memoryGrants,
  memoryState,
  type Payload,
  type PermissionEvent,
} from "ackgate";
import { agentHandler } from "ackgate/agui";
import { toNode } from "ackgate/node";
import { Observable } from "rxjs";

export type ScriptedCall = readonly [tool: string, args: object];
export const CLEAN_UP: readonly ScriptedCall[] = [
  ["read_note", { id: "n1" }],
  ["delete_note", { id: "n2" }],
  ["delete_note", { id: "n3" }],
];

/** Calls one tool after the other and ends with a sentence. It goes on where the thread's tool messages end. */
export class ScriptedAgent extends AbstractAgent {
  readonly #gate: Gate;
  readonly #script: readonly ScriptedCall[];

  constructor(gate: Gate, script: readonly ScriptedCall[]) {
    super();
    this.#gate = gate;
    this.#script = script;
  }

  override clone(): ScriptedAgent {
    return new ScriptedAgent(this.#gate, this.#script);
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const send = (event: object): void => subscriber.next(event as BaseEvent);
      this.#loop(input, send).then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    });
  }

  async #loop({ threadId, runId, messages }: RunAgentInput, send: (event: object) => void): Promise<void> {
    send({ type: EventType.RUN_STARTED, threadId, runId });
    const done = messages.filter((message) => message.role === "tool").length;
    for (const [index, [toolName, args]] of this.#script.entries()) {
      if (index < done) continue;
      const toolCallId = `call-${index}`;
      send({ type: EventType.TOOL_CALL_START, toolCallId, toolCallName: toolName });
      send({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(args) });
      send({ type: EventType.TOOL_CALL_END, toolCallId });
      const { content } = await this.#gate.execute({ toolCallId, toolName, arguments: JSON.stringify(args) });
      send({ type: EventType.TOOL_CALL_RESULT, messageId: `result-${index}`, toolCallId, content });
    }
    send({ type: EventType.TEXT_MESSAGE_START, messageId: `text-${runId}`, role: "assistant" });
    send({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: `text-${runId}`, delta: "Done." });
    send({ type: EventType.TEXT_MESSAGE_END, messageId: `text-${runId}` });
    send({ type: EventType.RUN_FINISHED, threadId, runId });
  }
}

export interface Host {
  readonly base: string;
  readonly gate: Gate;
  /** What the tools really did, in order. */
  readonly ran: string[];
  readonly events: PermissionEvent[];
  decide(body: object): Promise<{ status: number; body: Record<string, unknown> }>;
  pending(threadId: string): Promise<Record<string, unknown>[]>;
  agent(threadId: string): HttpAgent;
  close(): Promise<void>;
}

export async function startHost(
  options: Partial<GateOptions> & { script?: readonly ScriptedCall[] } = {},
): Promise<Host> {
  const { script = CLEAN_UP, ...gateOptions } = options;
  const ran: string[] = [];
  const events: PermissionEvent[] = [];
  const gate = createGate({
    state: memoryState(),
    grants: memoryGrants(),
    user: "u1",
    tools: {
      read_note: ({ id }: { id: string }) => {
        ran.push(`read ${id}`);
        return `the note ${id}`;
      },
      delete_note: async ({ id }: { id: string }) => {
        ran.push(`delete ${id}`);
        return { deleted: id };
      },
      wipe_notes: () => ran.push("wipe"),
    },
    tiers: { read_note: "allow", delete_note: "confirm", wipe_notes: "deny" },
    onPermission: (event) => events.push(event),
    leaseMs: 1000,
    ...(gateOptions as object),
  }) as unknown as Gate;
  const handler = agentHandler(new ScriptedAgent(gate, script), gate, {
    mode: "block",
    identify: () => ({ user: "u1" }),
  });
  const server = createServer(toNode(handler));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    gate,
    ran,
    events,
    async decide(body) {
      const response = await fetch(`${base}/ack/confirmation`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    pending: async (threadId) =>
      (await (await fetch(`${base}/ack/confirmations?threadId=${threadId}`)).json()) as Record<string, unknown>[],
    agent(threadId) {
      const agent = new HttpAgent({ url: `${base}/agui`, threadId });
      agent.addMessage({ id: "user-1", role: "user", content: "clean up" });
      return agent;
    },
    async close() {
      await gate.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What one run showed its client. */
export interface Seen {
  readonly cards: { confirmationId: string; toolName: string; status: string }[];
  readonly order: string[];
  readonly results: string[];
}

/** Runs the agent; `answer` is called for each card that is pending, and does not hold up the stream. */
export async function watch(agent: HttpAgent, answer: (card: Seen["cards"][number]) => unknown): Promise<Seen> {
  const seen: Seen = { cards: [], order: [], results: [] };
  await agent.runAgent(
    {},
    {
      onEvent: ({ event }) => {
        seen.order.push(event.type === EventType.CUSTOM ? `CUSTOM ${(event.value as Payload).status}` : event.type);
      },
      onCustomEvent: ({ event }) => {
        seen.cards.push(event.value);
        if (event.value.status === "pending") void answer(event.value);
      },
      onToolCallResultEvent: ({ event }) => {
        seen.results.push(String(event.content));
      },
    },
  );
  return seen;
}
