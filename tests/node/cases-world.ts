// The world of one report: the processes on one store, and everything that happens in it written down.
import {
  type AuditRecord,
  type CallOptions,
  type DecideResult,
  type Executed,
  type Gate,
  memoryGrants,
  type Payload,
  type PendingItem,
  type PermissionEvent,
  type ResumeRunner,
  type RunAgentInput,
  type SessionKey,
  type ToolFunction,
} from "ackgate";
import { fakeClock } from "ackgate/testing";
import { gateway, until } from "./agui-fakes.ts";
import { codeOf, createInstance, type Instance } from "./cases-instance.ts";
import { createStore, type Store, type StoreName } from "./cases-store.ts";

export interface Setup {
  /** Who decides and lists: the host itself, or a client of the HTTP routes. */
  readonly by: "host" | "HTTP";
  readonly store: StoreName;
  /** How a process ends when another one starts. */
  readonly restart: "closed" | "killed";
}

export interface Ran {
  readonly id: string;
  readonly tool: string;
  readonly args: object;
  readonly parents: readonly string[] | undefined;
}

const systemClock = {
  now: () => Date.now(),
  setTimeout(run: () => void, ms: number) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class World {
  readonly setup: Setup;
  readonly executed: Ran[] = [];
  readonly events: PermissionEvent[] = [];
  readonly audit: AuditRecord[] = [];
  /** The custom events of all runs. */
  readonly shown: Payload[] = [];
  /** What the runs were given that were resumed. */
  readonly resumed: RunAgentInput[] = [];
  /** What each decision gave, or its error's code. */
  readonly decided: (DecideResult | string)[] = [];
  /** What became of each call, by its id; an error's code where its run was left. */
  readonly outcomes = new Map<string, (Executed | string)[]>();
  listed: readonly PendingItem[] | undefined;
  user = "u1";
  session = "s1";
  restarts = 0;
  runActive = false;
  runFails: string | undefined;
  /** The store's word of a change reaches nobody. */
  deaf = false;
  #held: ReturnType<typeof gateway<void>> | undefined;
  readonly #clock: ReturnType<typeof fakeClock> | undefined;
  readonly #grants = memoryGrants();
  readonly #store: Store;
  readonly #options: { readonly app?: string };
  readonly #latency: number;
  readonly #tools: Readonly<Record<string, ToolFunction>>;
  #instances: Instance[];

  /** `held`: the tools do not end before `release`. `stopped`: time passes only by `advance`. */
  constructor(
    setup: Setup,
    tools: readonly string[],
    options: object,
    { held = false, stopped = false, latency = 0 } = {},
  ) {
    this.setup = setup;
    this.#options = options;
    this.#latency = latency;
    if (held) this.hold();
    this.#clock = stopped ? fakeClock() : undefined;
    this.#store = createStore(setup.store);
    this.#tools = Object.fromEntries(tools.map((name) => [name, this.#tool(name)]));
    this.#instances = [this.#open()];
  }

  get key(): SessionKey {
    return { app: this.#options.app ?? "ack", user: this.user, session: this.session };
  }
  /** The process the agent runs in. */
  get here(): Instance {
    return this.#instances[0] as Instance;
  }
  get gate(): Gate {
    return this.here.gate;
  }
  /** Another process beside it. */
  get beside(): Gate {
    const other = this.#instances[1] ?? this.#open();
    this.#instances[1] = other;
    return other.gate;
  }
  /** The tools wait. */
  get held(): boolean {
    return this.#held !== undefined;
  }
  /** A decision takes its time, and the next step comes before its end. */
  get busy(): boolean {
    return this.held || this.#latency > 0;
  }

  /** The process ends and the next one starts: nothing but the store is left. */
  async restart(): Promise<void> {
    if (this.setup.restart === "killed") return this.kill();
    this.restarts++;
    for (const { gate } of this.#instances) await gate.close();
    await this.settled();
    await this.#reopen();
  }
  async kill(): Promise<void> {
    this.restarts++;
    for (const instance of this.#instances) instance.die();
    await this.#reopen();
  }
  async #reopen(): Promise<void> {
    await this.#store.reopen();
    this.#instances = [this.#open()];
  }

  /** Ends when the call has ended, or a card of it can be seen. */
  call(id: string, tool: string, args: string | object, options: CallOptions = {}): Promise<void> {
    const call = { sessionId: this.session, toolCallId: id, toolName: tool, arguments: args as never };
    return this.track(id, this.gate.execute(call, { ...this.callOptions, ...options }));
  }
  get callOptions() {
    const emit = ({ value }: { value: Payload }) => void this.shown.push(value);
    return { emit, signal: this.here.stop.signal, runId: this.here.run, context: { user: this.user } };
  }
  async track(id: string, outcome: Promise<Executed | string>): Promise<void> {
    const cards = () => this.shown.filter(({ toolCallId, status }) => toolCallId === id && status === "pending").length;
    const before = cards();
    let ended = false;
    const noted = outcome.catch(codeOf).then((end) => {
      ended = true;
      this.outcomes.set(id, [...(this.outcomes.get(id) ?? []), end]);
    });
    this.here.going.push(noted);
    await until(() => ended || cards() > before, `${id} ends or shows a card`);
  }

  hold(): void {
    this.#held = gateway<void>();
  }
  /** Lets the tools end, and waits for everything that was begun and can end. */
  async release(): Promise<void> {
    this.#held?.open();
    if (this.busy) await this.settled();
  }
  async settled(): Promise<void> {
    let done = false;
    const all = Promise.all(this.#instances.flatMap(({ going }) => going)).finally(() => {
      done = true;
    });
    await until(() => done, "what was begun ends");
    await all;
  }
  async advance(ms: number): Promise<void> {
    await this.#clock?.advance(ms);
  }

  async record(id: string): Promise<Record<string, unknown>> {
    return JSON.parse((await this.#store.state.read(this.key, `c:${id}`))?.record ?? "{}");
  }
  /** Changes a stored record behind the gates. */
  async rewrite(id: string, extra: object): Promise<void> {
    const found = await this.#store.state.read(this.key, `c:${id}`);
    const record = JSON.stringify({ ...JSON.parse(found?.record ?? "{}"), ...extra });
    await this.#store.state.write(this.key, `c:${id}`, record, found?.version);
  }

  async close(): Promise<void> {
    this.#held?.open();
    for (const { gate } of this.#instances) await gate.close();
    await this.settled();
    await this.#store.end();
  }

  #open(): Instance {
    return createInstance({
      state: this.#store.state,
      grants: this.#grants,
      tools: this.#tools,
      runner: this.#runner,
      options: this.#options,
      clock: this.#clock ?? systemClock,
      latency: this.#latency,
      deaf: () => this.deaf,
      runActive: () => this.runActive,
      onPermission: (event) => this.events.push(event),
      onAudit: (record) => this.audit.push(record),
    });
  }
  get #runner(): ResumeRunner {
    const started = (input: RunAgentInput) => {
      this.resumed.push(input);
      if (this.runFails !== undefined) throw new Error(this.runFails);
      return { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
    };
    return {
      async *run(input) {
        yield started(input);
      },
    };
  }
  #tool(tool: string): ToolFunction {
    return async (args, { toolCallId: id, parents }) => {
      this.executed.push({ id, tool, args, parents });
      await this.#held?.passed;
      return `${tool} was run`;
    };
  }
}
