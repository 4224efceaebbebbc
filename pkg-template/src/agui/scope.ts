import type { AbstractAgent, BaseEvent, Middleware, RunAgentInput } from "@ag-ui/client";
import { Observable, type Subscription } from "rxjs";
import { hostOf } from "../internal.js";
import type { Context, CustomEvent, Gate, Payload, RunScope } from "../types.js";
import { customEvent } from "../words.js";
import { enter } from "./active.js";
import { type AnyMessage, finished } from "./events.js";
import { canceled, interrupted } from "./interrupts.js";
import type { RunStyle } from "./options.js";
import { missingResults, withResults } from "./repair.js";
import { beginning } from "./resume.js";
import { Stream } from "./stream.js";

/** What a gated run needs besides its input. */
export interface GatedRun {
  readonly gate: Gate;
  readonly agent: AbstractAgent;
  readonly style: RunStyle;
  readonly context: () => Context | PromiseLike<Context>;
  /** Aborting it settles what waits; the agent goes on with the refusal. */
  readonly controller: AbortController;
  /** Stops the agent, as far as it can be stopped. */
  readonly stop: () => void;
  /** Carries on after a recovery: no new message of a person, and the results are in the input. */
  readonly recovered?: boolean | undefined;
  /** What was settled without a run, to be told in this one. */
  readonly settled?: readonly Payload[] | undefined;
  /** Told of the results that a broken turn was given. */
  readonly repaired?: ((results: readonly AnyMessage[]) => void) | undefined;
}

/** The agent's run inside `gate.run`, with the gate's events in its stream. Unsubscribing stops it. */
export function gatedRun(run: GatedRun, input: RunAgentInput): Observable<BaseEvent> {
  return new Observable((out) => {
    const host = hostOf(run.gate);
    const stream = new Stream(run, input, out);
    let inner: Subscription | undefined;
    let done = (): void => {};
    const go = async (): Promise<void> => {
      const context = await run.context();
      const leave = enter(run.gate, await host.key(input.threadId, context));
      done = () => {
        leave();
        // A recovery's run that did not even begin is not tried again by its own end.
        if (!run.recovered || stream.hasBegun) host.carryOn(input.threadId, context);
      };
      if (out.closed) return done();
      const scope = scopeOf(run, stream, input, context);
      const { signal } = run.controller;
      const whole = await begin(run, stream, scope, input).catch((error: unknown) => {
        if (!signal.aborted || error !== signal.reason) throw error;
        return undefined;
      });
      // Nothing begins in a run that was stopped.
      if (signal.aborted && !stream.isOver) {
        stream.start();
        stream.end(canceled(input));
      }
      if (whole === undefined || stream.isOver) return;
      // The agent is subscribed to inside, so that everything it starts carries the scope.
      run.gate.run(scope, () => {
        inner = innerRun(run.agent, whole).subscribe({
          next: (event) => stream.next(event),
          error: (error) => out.error(error),
          complete: () => out.complete(),
        });
      });
      if (out.closed) inner?.unsubscribe();
    };
    go().catch((error) => out.error(error));
    return () => {
      const parked = stream.parking?.open.length ?? 0;
      inner?.unsubscribe();
      if (parked > 0) run.stop();
      run.controller.abort();
      stream.close();
      done();
    };
  });
}

function scopeOf(run: GatedRun, stream: Stream, input: RunAgentInput, context: Context) {
  const { threadId: sessionId, runId } = input;
  const emit = (event: CustomEvent): void => stream.emit(event);
  const { parking } = stream;
  return { sessionId, runId, context, signal: run.controller.signal, emit, ...(parking && { parking }) };
}

/** What comes before the agent. Gives the agent's input, or nothing when the run has ended already. */
async function begin(
  run: GatedRun,
  stream: Stream,
  scope: RunScope & { readonly context: Context },
  input: RunAgentInput,
): Promise<RunAgentInput | undefined> {
  const host = hostOf(run.gate);
  if (run.recovered) {
    // The results are in the input, and in the snapshot of whoever joins: sent again, a client would have each twice.
    for (const payload of run.settled ?? []) stream.emit(customEvent(payload, host.eventName));
    return repaired(run, scope.context, input);
  }
  const begun = await beginning(run, scope, input, () => stream.start());
  switch (begun.is) {
    case "invalid":
      stream.end({ type: "RUN_ERROR", message: begun.message, code: "INVALID_RESUME" });
      return undefined;
    case "open":
      stream.start();
      stream.end(interrupted(input, begun.open));
      return undefined;
    case "elsewhere":
    case "ready":
      for (const { toolCallId, content } of begun.results) stream.result(toolCallId, content);
      if (begun.is === "ready") return repaired(run, scope.context, begun.input);
      stream.end(finished(input));
      return undefined;
    default:
      return begun satisfies never;
  }
}

/** The input with results for the calls of a broken turn. */
async function repaired(run: GatedRun, context: Context, input: RunAgentInput): Promise<RunAgentInput> {
  const results = await missingResults(input, hostOf(run.gate), context);
  if (results.length > 0) run.repaired?.(results);
  return withResults(input, results);
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
