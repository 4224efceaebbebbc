// One process of a world: a gate on the shared store, with a clock and a store that its death takes away.
import {
  AckError,
  type AuditRecord,
  type Clock,
  createGate,
  type Gate,
  type GateOptions,
  type GrantSource,
  type PermissionEvent,
  type ResumeRunner,
  type SessionState,
  type ToolFunction,
} from "ackgate";

export interface Around {
  readonly state: SessionState;
  readonly grants: GrantSource;
  readonly tools: Readonly<Record<string, ToolFunction>>;
  readonly runner: ResumeRunner;
  readonly options: object;
  readonly clock: Clock;
  /** So many turns of the event loop for each access to the store. */
  readonly latency: number;
  deaf(): boolean;
  runActive(): boolean;
  onPermission(event: PermissionEvent): void;
  onAudit(record: AuditRecord): void;
}

export interface Instance {
  readonly gate: Gate;
  /** Stops the agent's run in it. */
  readonly stop: AbortController;
  readonly run: string;
  /** What goes on in it; nobody waits for that of a dead one. */
  readonly going: Promise<unknown>[];
  /** It stops in the middle of whatever it does. */
  die(): void;
}

let runs = 0;

export function createInstance(around: Around): Instance {
  let dead = false;
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => around.clock.now(),
    setTimeout(run, ms) {
      if (dead) return () => {};
      const cancel = around.clock.setTimeout(() => {
        timers.delete(cancel);
        run();
      }, ms);
      timers.add(cancel);
      return () => {
        timers.delete(cancel);
        cancel();
      };
    },
  };
  const { grants, tools, options, runActive, onPermission, onAudit } = around;
  const gate = createGate({
    state: mortal(around, () => dead),
    grants,
    user: "u1",
    tools,
    defaultTier: "confirm",
    logger: { warn() {}, error() {} },
    clock,
    runActive,
    onPermission,
    onAudit,
    ...options,
  } as GateOptions) as Gate;
  gate.resumeWith(around.runner);
  const die = (): void => {
    dead = true;
    for (const cancel of timers) cancel();
  };
  return { gate, stop: new AbortController(), run: `run-${++runs}`, going: [], die };
}

function mortal({ state, latency, deaf }: Around, dead: () => boolean): SessionState {
  const through = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      for (let turn = 0; turn < latency; turn++) await new Promise((resolve) => setImmediate(resolve));
      return dead() ? new Promise<R>(() => {}) : work(...args);
    };
  };
  const { read, list, write, subscribe, sessions, exclusive } = state;
  return {
    read: through(read),
    list: through(list),
    write: through(write),
    ...(subscribe && {
      subscribe: (session, changed) => subscribe(session, (id) => (dead() || deaf() ? undefined : changed(id))),
    }),
    ...(sessions && { sessions }),
    ...(exclusive && { exclusive }),
  };
}

export function codeOf(error: unknown): string {
  if (AckError.is(error)) return error.code;
  throw error;
}
