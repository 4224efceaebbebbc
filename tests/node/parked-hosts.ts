// Hosts of one thread over one store, each with a gate of its own, and the front ends that talk to them.
import { HttpAgent, type Message, type RunAgentParameters } from "@ag-ui/client";
import { createGate, type Gate, type GateOptions, type Handler, type SessionState } from "ackgate";
import { agentHandler } from "ackgate/agui";
import type { fakeClock } from "ackgate/testing";
import { NotesAgent, type Said } from "./parked-agent.ts";

export const THREAD = "t1";
type ResumeEntry = NonNullable<RunAgentParameters["resume"]>[number];

/** What happened in all hosts of a store. */
export interface Log {
  /** The calls that were really executed, with their host. */
  readonly rows: (readonly [host: string, id: string])[];
  /** Each time that a model went on. */
  readonly said: (Said & { readonly host: string })[];
  readonly faults: string[];
}
export const emptyLog = (): Log => ({ rows: [], said: [], faults: [] });

export interface Host {
  readonly gate: Gate;
  readonly handler: Handler;
}

/** A host in mode `interrupt`, and its person is ann. */
export function startHost(
  name: string,
  log: Log,
  state: SessionState,
  clock: ReturnType<typeof fakeClock>,
  calls: readonly string[],
): Host {
  const fault = (message: string, fields?: object) =>
    void log.faults.push(`${name}: ${message} ${JSON.stringify(fields)}`);
  const gate = createGate({
    state,
    clock,
    user: "ann",
    tools: {
      delete_note({ id }: { id: string }) {
        log.rows.push([name, id]);
        return { deleted: id };
      },
    },
    defaultTier: "confirm",
    logger: { warn: () => {}, error: fault },
  } as GateOptions) as unknown as Gate;
  const agent = new NotesAgent({ gate, calls, said: (said) => void log.said.push({ host: name, ...said }) });
  const handler = agentHandler(agent, gate, { mode: "interrupt", identify: () => ({ user: "ann" }), heartbeatMs: 0 });
  return { gate, handler };
}

/** The real client, without a socket. */
export class Front {
  readonly agent: HttpAgent;
  /** The types of the latest run's events. */
  types: string[] = [];

  constructor({ handler }: Host, path = "/agui") {
    const fetch = (url: unknown, init?: RequestInit) => handler(new Request(String(url), init));
    this.agent = new HttpAgent({
      url: `http://host${path}`,
      threadId: THREAD,
      fetch: fetch as typeof globalThis.fetch,
    });
  }

  async run(parameters: RunAgentParameters): Promise<void> {
    this.types = [];
    await this.agent.runAgent(parameters, { onEvent: ({ event }) => void this.types.push(event.type) });
  }

  /** Again while another run of the thread is active, as a person would. */
  async resume(runId: string, ...resume: ResumeEntry[]): Promise<void> {
    for (;;) {
      const error = await this.run({ runId, resume }).catch((thrown: Error & { status?: number }) => thrown);
      if (error === undefined) return;
      if (error.status !== 409) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  get open(): string[] {
    return this.agent.pendingInterrupts.map(({ id }) => id).sort();
  }
}

export const yes = (interruptId: string): ResumeEntry => ({
  interruptId,
  status: "resolved",
  payload: { approved: true },
});

export async function decide({ handler }: Host, confirmationId: string, approved = true) {
  const response = await handler(
    new Request("http://host/ack/confirmation", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: THREAD, confirmationId, approved }),
    }),
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

export async function pending({ handler }: Host): Promise<unknown[]> {
  return (await handler(new Request(`http://host/ack/confirmations?threadId=${THREAD}`))).json() as Promise<unknown[]>;
}

/** What somebody reads who opens the thread. */
export async function stored(host: Host): Promise<Message[]> {
  const front = new Front(host, "/agui/history");
  await front.run({});
  return front.agent.messages.filter(({ role }) => role !== "activity");
}
