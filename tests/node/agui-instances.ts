// Two hosts of one thread over one store: each has a gate and an agent of its own.
import { createGate, type Gate, memoryState, type SessionState } from "ackgate";
import { type AgentHandlerOptions, agentHandler } from "ackgate/agui";
import { fakeClock } from "ackgate/testing";
import { follow, input, post, type Script, ScriptedAgent } from "./agui-fakes.ts";
import { OWNER } from "./agui-mount.ts";

/** What a test does to a host's store; the store itself is shared. */
export interface Tampering {
  /** Every call waits for it. */
  stands?: Promise<unknown> | undefined;
  /** Before a write: throw, or give what it waits for. */
  beforeWrite?: ((id: string, record: string | null) => Promise<unknown> | undefined) | undefined;
  /** Added to the age of what it reads, in ms. */
  older: number;
  writes: string[];
}

export function tampered(shared: SessionState): { state: SessionState; tampering: Tampering } {
  const tampering: Tampering = { older: 0, writes: [] };
  const aged = <T extends { ageMs: number }>(found: T): T => ({ ...found, ageMs: found.ageMs + tampering.older });
  const state: SessionState = {
    async read(...given) {
      await tampering.stands;
      const found = await shared.read(...given);
      return found && aged(found);
    },
    async list(...given) {
      await tampering.stands;
      return (await shared.list(...given)).map(aged);
    },
    async write(session, id, record, ifVersion) {
      await tampering.stands;
      await tampering.beforeWrite?.(id, record);
      tampering.writes.push(id);
      return shared.write(session, id, record, ifVersion);
    },
    subscribe: async (...given) => (await shared.subscribe?.(...given)) ?? (() => {}),
  };
  return { state, tampering };
}

/** A host; `polls`: its store tells nothing by itself. */
export function instance(
  shared: SessionState,
  script: (gate: Gate) => Script,
  { polls = false, ...over }: Partial<AgentHandlerOptions> & { polls?: boolean } = {},
) {
  const clock = fakeClock();
  const { state, tampering } = tampered(shared);
  if (polls) delete (state as { subscribe?: unknown }).subscribe;
  const ran: string[] = [];
  const logs: string[] = [];
  const log = (message: string) => void logs.push(message);
  const gate = createGate({
    state,
    clock,
    logger: { warn: log, error: log },
    tools: { delete_note: ({ id }: { id: number }) => ran.push(`delete ${id}`) },
    tiers: { delete_note: "confirm" },
  }) as unknown as Gate;
  const identify = () => ({ user: "ann" });
  const handler = agentHandler(new ScriptedAgent(script(gate)), gate, { mode: "block", identify, ...over });
  return {
    gate,
    handler,
    clock,
    tampering,
    ran,
    logs,
    start: async (over: object = {}) => follow(await handler(post("/agui", input(over)))),
    decide: (confirmationId: string, approved = true) =>
      gate.decide({ sessionId: "t", confirmationId, approved }, { context: { user: "ann" } }),
  };
}

/** The stored ids of a thread's history. */
export async function historyIds(shared: SessionState): Promise<string[]> {
  return (await shared.list(OWNER, "history")).map(({ id }) => id);
}

export { memoryState };
