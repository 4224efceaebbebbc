// Hosts in one process on one store: each may die or lose the store at the moment a test chooses.
import { type AuditRecord, createGate, type Gate, type GateOptions, memoryState, type SessionState } from "ackgate";

export const KEY = { app: "ack", user: "u1", session: "s1" };
export const CALL = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };
export const YES = { sessionId: "s1", confirmationId: "c1", approved: true } as const;

/** Timers that keep no process alive: a host that died does not go on. */
export const idle = {
  now: () => Date.now(),
  setTimeout(run: () => void, ms: number) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** A store that several hosts have open. Leases are long: one lapses when the test says so. */
export function sharedState(inner: SessionState = memoryState()) {
  const lapsed = new Set<string>();
  const aged = <T extends { readonly version: string; readonly ageMs: number }>(found: T): T =>
    lapsed.has(found.version) ? { ...found, ageMs: 1e9 } : found;
  const state: SessionState = {
    ...inner,
    exclusive: false,
    async read(...args) {
      const found = await inner.read(...args);
      return found && aged(found);
    },
    list: async (...args) => (await inner.list(...args)).map(aged),
  };
  return {
    state,
    /** Who wrote this record last has not been heard of for longer than its lease. */
    async lapse(id = "c:c1"): Promise<void> {
      lapsed.add((await inner.read(KEY, id))?.version ?? "");
    },
    async record(id = "c:c1"): Promise<Stored> {
      return JSON.parse((await inner.read(KEY, id))?.record ?? "{}") as Stored;
    },
  };
}
export interface Stored {
  readonly stage?: string;
  readonly status?: string;
  readonly execution?: string;
  readonly fence?: number;
  readonly delivered?: boolean;
  readonly result?: string;
}
export interface Run {
  readonly runId: string;
  readonly results: readonly unknown[];
}

/** A gate with one tool that is asked about, on a store that can be taken from it, and what both did. */
export function hostOn(state: SessionState, options: object = {}) {
  const ran: string[] = [];
  const audit: AuditRecord[] = [];
  const logged: string[] = [];
  const runs: Run[] = [];
  const log = (message: string): void => void logged.push(message);
  const fault: { write?: ((id: string, record: string) => void | Promise<void>) | undefined } = {};
  const gate = createGate({
    state: {
      ...state,
      async write(session, id, record, ifVersion) {
        await fault.write?.(id, record ?? "");
        return state.write(session, id, record, ifVersion);
      },
    },
    user: "u1",
    tools: { delete_note: () => `ran ${ran.push("delete")}` },
    defaultTier: "confirm",
    leaseMs: 600_000,
    storeTimeoutMs: 600_000,
    logger: { warn: log, error: log },
    onAudit: (record: AuditRecord) => audit.push(record),
    ...options,
  } as GateOptions) as unknown as Gate;
  return {
    gate,
    ran,
    audit,
    logged,
    runs,
    fault,
    /** From its write of such a record on nothing of this host reaches the store; resolves at that moment. */
    dies(holding: string): Promise<void> {
      return new Promise((reached) => {
        let dead = false;
        fault.write = (_, record) => {
          dead ||= record.includes(holding);
          if (!dead) return;
          reached();
          return new Promise(() => {});
        };
      });
    },
    /** Binds a runner that starts at once and notes what it was given. */
    resumes(): void {
      gate.resumeWith({
        async *run({ threadId, runId, messages }) {
          const results = (messages as { content: string }[]).map(({ content }) => JSON.parse(content) as unknown);
          runs.push({ runId, results });
          yield { type: "RUN_STARTED", threadId, runId };
        },
      });
    },
  };
}
export type TestHost = ReturnType<typeof hostOn>;

/** Calls the tool in a run that waits for its person, until it waits. */
export async function asked({ gate }: TestHost, toolCallId = "c1", runId = "r1") {
  const running = gate.execute({ ...CALL, toolCallId }, { runId });
  running.catch(() => undefined);
  const open = async () => (await gate.pending("s1")).some((item) => item.toolCallId === toolCallId);
  while (!(await open())) await new Promise((resolve) => setImmediate(resolve));
  return { running };
}

/** Questions of one run that is gone. */
export async function orphaned(state: SessionState, ...toolCallIds: string[]): Promise<void> {
  const first = hostOn(state);
  for (const id of toolCallIds) await asked(first, id);
  await first.gate.close();
}
