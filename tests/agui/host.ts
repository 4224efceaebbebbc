// A host as a user would write it, on a socket, for one client line.

import type { AbstractAgent, Message } from "@ag-ui/client";
import {
  createGate,
  type Gate,
  type GateOptions,
  memoryGrants,
  memoryState,
  type PermissionEvent,
  type SessionState,
} from "ackgate";
import { type AgentHandlerOptions, agentHandler } from "ackgate/agui";
import { fakeClock } from "ackgate/testing";
import { type Script, ScriptedAgent } from "./agent.ts";
import type { ClientLine } from "./lines.ts";
import { serve } from "./server.ts";
import { DECLINED } from "./thread.ts";

export interface HostOptions {
  readonly script: Script;
  /** In place of the scripted agent. */
  readonly agent?: (gate: Gate) => AbstractAgent;
  readonly state?: SessionState;
  readonly gate?: Partial<GateOptions>;
  readonly agui?: Partial<AgentHandlerOptions>;
  /** What the host's clock shows at first. Clients look at their own clock to see whether an interrupt has expired. */
  readonly startMs?: number;
  /** Runs whose model cannot be reached. */
  readonly fails?: ReadonlySet<string>;
}
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}
export interface Host {
  readonly line: ClientLine;
  readonly url: string;
  readonly gate: Gate;
  readonly clock: ReturnType<typeof fakeClock>;
  /** What the tools really did, in order. */
  readonly ran: string[];
  readonly events: PermissionEvent[];
  /** What was logged above `debug`. */
  readonly logs: string[];
  /** The messages that the agent was given, for each of its runs. */
  readonly given: Message[][];
  post(path: string, body: object): Promise<Answer>;
  decide(confirmationId: string, answer: object): Promise<Answer>;
  pending(): Promise<Record<string, unknown>[]>;
  /** Also says that no stream of it had a fault. */
  close(): Promise<void>;
}

/** The only thread that is talked about here. */
export const THREAD = "t1";

const json = { "content-type": "application/json" };

export async function startHost(line: ClientLine, options: HostOptions): Promise<Host> {
  const ran: string[] = [];
  const events: PermissionEvent[] = [];
  const logs: string[] = [];
  const given: Message[][] = [];
  const clock = fakeClock(options.startMs ?? Date.UTC(2100, 0));
  const log = (message: string) => void logs.push(message);
  const gate = createGate({
    state: options.state ?? memoryState(),
    grants: memoryGrants(),
    user: "ann",
    tools: {
      read_note({ id }: { id: string }) {
        ran.push(`read ${id}`);
        return `the note ${id}`;
      },
      async delete_note({ id }: { id: string }) {
        ran.push(`delete ${id}`);
        return { deleted: id };
      },
    },
    tiers: { read_note: "allow", delete_note: "confirm" },
    onPermission: (event) => events.push(event),
    texts: { humanDenied: () => DECLINED },
    clock,
    logger: { warn: log, error: log },
    ...(options.gate as object),
  }) as unknown as Gate;
  const { script, fails = new Set() } = options;
  const agent = options.agent?.(gate) ?? new ScriptedAgent({ gate, script, given, fails });
  const handler = agentHandler(agent, gate, { mode: "block", identify: () => ({ user: "ann" }), ...options.agui });
  const { url, verifier, close } = await serve(line, handler);
  const post = async (path: string, body: object): Promise<Answer> => {
    const response = await fetch(url + path, { method: "POST", headers: json, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    line,
    url,
    gate,
    clock,
    ran,
    events,
    logs,
    given,
    post,
    decide: (confirmationId, answer) => post("/ack/confirmation", { threadId: THREAD, confirmationId, ...answer }),
    pending: async () =>
      (await (await fetch(`${url}/ack/confirmations?threadId=${THREAD}`)).json()) as Record<string, unknown>[],
    async close() {
      await gate.close();
      await close();
      verifier.assertClean();
    },
  };
}

export async function withHost(
  line: ClientLine,
  options: HostOptions,
  body: (host: Host) => Promise<void>,
): Promise<void> {
  const host = await startHost(line, options);
  try {
    await body(host);
  } finally {
    await host.close();
  }
}
