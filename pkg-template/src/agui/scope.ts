import type { AbstractAgent, BaseEvent, Middleware, RunAgentInput } from "@ag-ui/client";
import { Observable, type Subscriber, type Subscription } from "rxjs";
import { hostOf } from "../internal.js";
import type { Context, CustomEvent, Gate, Payload } from "../types.js";
import { customEvent } from "../words.js";
import { type AnyMessage, isTerminal, messagesOf, seen, sent } from "./events.js";
import { missingResults, withResults } from "./repair.js";
import { watchUngated } from "./ungated.js";

/** What a gated run needs besides its input. */
export interface GatedRun {
  readonly gate: Gate;
  readonly agent: AbstractAgent;
  readonly activity: boolean;
  readonly context: () => Context | PromiseLike<Context>;
  /** Aborting it settles what waits; the agent goes on with the refusal. */
  readonly controller: AbortController;
  /** No new message of a person, so nothing is superseded. */
  readonly recovered?: boolean | undefined;
  /** What was settled without a run, to be told in this one. */
  readonly settled?: readonly Payload[] | undefined;
  /** Told of the results that a broken turn was given. */
  readonly repaired?: ((results: readonly AnyMessage[]) => void) | undefined;
}

/** The agent's run inside `gate.run`, with the gate's events in its stream. Unsubscribing stops it. */
export function gatedRun(run: GatedRun, input: RunAgentInput): Observable<BaseEvent> {
  return new Observable((subscriber) => {
    let inner: Subscription | undefined;
    prepare(run, input)
      .then(({ context, input: whole }) => {
        if (subscriber.closed) return;
        const { threadId: sessionId, runId } = input;
        const stream = new Stream(run, whole, subscriber);
        const emit = (event: CustomEvent) => stream.emit(event);
        for (const payload of run.settled ?? []) emit(customEvent(payload, hostOf(run.gate).eventName));
        // The agent is subscribed to inside, so that everything it starts carries the scope.
        run.gate.run({ sessionId, runId, context, signal: run.controller.signal, emit }, () => {
          inner = innerRun(run.agent, whole).subscribe({
            next: (event) => stream.next(event),
            error: (error) => subscriber.error(error),
            complete: () => subscriber.complete(),
          });
        });
        if (subscriber.closed) inner?.unsubscribe();
      })
      .catch((error) => subscriber.error(error));
    return () => {
      run.controller.abort();
      inner?.unsubscribe();
    };
  });
}

async function prepare(run: GatedRun, input: RunAgentInput): Promise<{ context: Context; input: RunAgentInput }> {
  const host = hostOf(run.gate);
  const context = await run.context();
  const said = !run.recovered && messagesOf(input).at(-1)?.role === "user";
  if (said && host.newMessage === "supersede") {
    await run.gate.supersede(input.threadId, { context });
  }
  const results = await missingResults(input, host, context);
  if (results.length > 0) run.repaired?.(results);
  return { context, input: withResults(input, results) };
}

/** What a resumed run has to tell; only the gate's own runner may ask for it. */
export function settledIn(input: RunAgentInput): readonly Payload[] {
  const { ack } = (input.forwardedProps ?? {}) as { ack?: { settled?: readonly Payload[] } };
  return ack?.settled ?? [];
}

/** A bare `run` passes by what was added with `agent.use`; a wrapped agent keeps it. */
function innerRun(agent: AbstractAgent, input: RunAgentInput): Observable<BaseEvent> {
  const { middlewares = [] } = agent as unknown as { middlewares?: readonly Middleware[] };
  const chain = middlewares.reduceRight((next, middleware) => {
    const link = {
      run: (each: RunAgentInput) => middleware.run(each, next),
      get messages() {
        return next.messages;
      },
      get state() {
        return next.state;
      },
    };
    return link as unknown as AbstractAgent;
  }, agent);
  return chain.run(input);
}

/** The outer stream of one run: custom events wait for RUN_STARTED and never follow a terminal event. */
class Stream {
  readonly #run: GatedRun;
  readonly #out: Subscriber<BaseEvent>;
  readonly #watch: (event: ReturnType<typeof seen>) => void;
  #phase: "before" | "open" | "over" = "before";
  #early: CustomEvent[] = [];

  constructor(run: GatedRun, input: RunAgentInput, out: Subscriber<BaseEvent>) {
    this.#run = run;
    this.#out = out;
    this.#watch = watchUngated(hostOf(run.gate), input);
  }

  next(event: BaseEvent): void {
    const { type } = seen(event);
    if (isTerminal(seen(event))) this.#phase = "over";
    this.#watch(seen(event));
    this.#out.next(event);
    if (type !== "RUN_STARTED") return;
    this.#phase = "open";
    for (const early of this.#early.splice(0)) this.emit(early);
  }

  emit(event: CustomEvent): void {
    if (this.#phase === "over" || this.#out.closed) this.#late(event);
    else if (this.#phase === "before") this.#early.push(event);
    else {
      this.#out.next(sent({ ...event }));
      if (this.#run.activity) this.#out.next(sent(activityOf(event)));
    }
  }

  #late({ name, value: { confirmationId, status } }: CustomEvent): void {
    const fields = { name, confirmationId, status };
    hostOf(this.#run.gate).logger.debug?.("the run is over: an event was not sent into it", fields);
  }
}

function activityOf({ value }: CustomEvent) {
  const messageId = `ack:${value.confirmationId}`;
  return { type: "ACTIVITY_SNAPSHOT", messageId, activityType: "ack.tool-confirmation", content: value };
}
