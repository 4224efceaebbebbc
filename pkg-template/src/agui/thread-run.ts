import type { AbstractAgent, BaseEvent, RunAgentInput } from "@ag-ui/client";
import type { Subscription } from "rxjs";
import { within } from "../clock.js";
import { AckError, messageOf } from "../error.js";
import { type HostSide, hostOf } from "../internal.js";
import type { Context, Gate, SessionKey } from "../types.js";
import { copyOf, isCloneable } from "./copy.js";
import {
  type AnyEvent,
  type AnyMessage,
  finished,
  frontendTools,
  isTerminal,
  messagesOf,
  seen,
  started,
} from "./events.js";
import { eventsOf, Feed } from "./feed.js";
import { History } from "./history.js";
import type { Joined } from "./join.js";
import { cardOf, Open } from "./open.js";
import type { RunStyle } from "./options.js";
import { gatedRun, settledIn } from "./scope.js";

const CANCEL_GRACE_MS = 1000;
const STORE_WAIT_MS = 5000;

export interface RunRequest {
  readonly session: SessionKey;
  readonly input: RunAgentInput;
  readonly context: Context;
  /** Carries on after a recovery: the input holds only tool messages, the rest of the thread is the stored one. */
  readonly recovered: boolean;
}
export interface RunSetup {
  readonly gate: Gate;
  readonly agent: AbstractAgent;
  readonly style: RunStyle;
  /** Called before the terminal event is sent: whoever answers it finds the thread free. */
  release(): void;
  /** True when no other run uses the agent. */
  alone(): boolean;
}

/** One run of a thread, from its request to its one terminal event, whoever listens. */
export class ThreadRun {
  readonly feed = new Feed();
  readonly done: Promise<void>;
  readonly #request: RunRequest;
  readonly #setup: RunSetup;
  readonly #host: HostSide;
  readonly #history: History;
  readonly #open: Open;
  readonly #agent: AbstractAgent;
  readonly #controller = new AbortController();
  #subscription: Subscription | undefined;
  #work: Promise<void> = Promise.resolve();
  #phase: "before" | "open" | "over" = "before";
  #canceling = false;
  #innerDone = false;
  #stopTimer = () => {};
  #finish = () => {};
  readonly #loaded: Promise<void>;
  #wasLoaded = () => {};

  constructor(setup: RunSetup, request: RunRequest) {
    this.#setup = setup;
    this.#request = request;
    this.#host = hostOf(setup.gate);
    this.#history = new History(this.#host, request.session, request.recovered);
    this.#open = new Open(frontendTools(request.input));
    this.#agent = isCloneable(setup.agent) ? copyOf(setup.agent) : setup.agent;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#loaded = new Promise((resolve) => {
      this.#wasLoaded = resolve;
    });
    this.#then(() => this.#begin());
  }

  /** Names the run: its id is the client's, and another run may have it too. */
  get key(): string {
    return this.#history.runLog.run;
  }

  get recovered(): boolean {
    return this.#request.recovered;
  }

  /** Where the run is now, and what happens from here on. */
  async join(stop: AbortSignal): Promise<Joined> {
    await this.#loaded;
    const { messages } = this.#history.transcript;
    const { open } = this.#history.runLog.mark();
    return { run: this.key, recovered: this.recovered, messages, open, events: eventsOf(this.feed, stop) };
  }

  /** Settles what waits, gives the tools a moment to say so, and ends the run. */
  cancel(): Promise<void> {
    if (!this.#canceling) {
      this.#canceling = true;
      this.#controller.abort();
      this.#stopTimer = this.#host.clock.setTimeout(() => this.#then(() => this.#endCanceled()), CANCEL_GRACE_MS);
      this.#then(() => this.#settleCancel());
    }
    return this.done;
  }

  async #begin(): Promise<void> {
    const input = await this.#load().finally(this.#wasLoaded);
    if (this.#canceling) return this.#endCanceled();
    this.#history.begin();
    const { gate, style } = this.#setup;
    const context = () => this.#request.context;
    const repaired = (results: readonly AnyMessage[]) => this.#remember(results);
    const run = {
      gate,
      style,
      context,
      repaired,
      agent: this.#agent,
      controller: this.#controller,
      stop: () => this.#abortAgent(),
      recovered: this.#request.recovered,
      settled: this.#request.recovered ? settledIn(input) : [],
    };
    this.#subscription = gatedRun(run, input).subscribe({
      next: (event: BaseEvent) => this.#then(() => this.#take(seen(event))),
      error: (error: unknown) => this.#then(() => this.#fail(error)),
      complete: () => this.#then(() => this.#complete()),
    });
  }

  async #load(): Promise<RunAgentInput> {
    const { input, recovered } = this.#request;
    const { transcript } = this.#history;
    const loaded = this.#history.load();
    if (!recovered) {
      await this.#patient(loaded.catch((error) => this.#history.log(error)));
      transcript.addInput(messagesOf(input), frontendTools(input));
      return input;
    }
    await within(this.#host.clock, STORE_WAIT_MS, loaded, () => {
      throw new Error("the thread's history could not be read in time");
    });
    const given = messagesOf(input);
    const answered = settledIn(input).filter(({ toolCallId }) => given.some((each) => each.toolCallId === toolCallId));
    for (const payload of answered) transcript.asked(payload);
    for (const message of given) transcript.answer(message);
    for (const payload of settledIn(input)) transcript.settle(payload);
    const messages = transcript.messages.filter(({ role }) => role !== "activity");
    return { ...input, messages: messages as unknown as RunAgentInput["messages"] };
  }

  #remember(results: readonly AnyMessage[]): void {
    for (const result of results) this.#history.transcript.set(result);
    void this.#history.save();
  }

  async #take(event: AnyEvent): Promise<void> {
    if (this.#phase === "over") return;
    if (isTerminal(event)) return this.#canceling ? this.#settleCancel(true) : this.#end(event);
    if (event.type === "RUN_STARTED") this.#phase = "open";
    this.#open.apply(event);
    const saved = this.#history.take(event) ? this.#history.save() : undefined;
    // A card that a person can see belongs to a call that a reload shows.
    if (cardOf(event)?.status === "pending") await this.#patient(saved ?? this.#history.save());
    this.feed.publish(event);
    if (this.#canceling) await this.#settleCancel();
  }

  #fail(error: unknown): void | Promise<void> {
    if (this.#phase === "over") return;
    if (this.#canceling) return this.#settleCancel(true);
    const message = error instanceof Error ? error.message : "the run failed";
    const fields = { sessionId: this.#request.input.threadId, error: messageOf(error) };
    // A host that closes its gate ends what waits; that is no fault.
    if (AckError.is(error) && error.code === "closed") this.#host.logger.info?.("the run ended with its gate", fields);
    else this.#host.logger.error("the run failed", fields);
    return this.#end({ type: "RUN_ERROR", message, ...(AckError.is(error) && { code: error.code }) });
  }

  #complete(): void | Promise<void> {
    if (this.#phase === "over") return;
    if (this.#canceling) return this.#settleCancel(true);
    return this.#end({ type: "RUN_ERROR", message: "the agent ended its run without `RUN_FINISHED`" });
  }

  /** A canceled run ends as soon as nothing in it waits any more, at the latest after the grace time. */
  #settleCancel(innerDone = false): void | Promise<void> {
    this.#innerDone ||= innerDone;
    if (this.#phase !== "over" && (this.#innerDone || !this.#open.waiting)) return this.#endCanceled();
  }

  async #endCanceled(): Promise<void> {
    if (this.#phase === "over") return;
    const { input } = this.#request;
    if (this.#phase === "before") this.feed.publish(started(input));
    this.#phase = "over";
    for (const end of this.#open.ends) {
      this.#history.take(end);
      this.feed.publish(end);
    }
    this.#stopAgent();
    await this.#end(finished(input, { outcome: { type: "cancelled" } }));
  }

  #stopAgent(): void {
    this.#subscription?.unsubscribe();
    this.#abortAgent();
  }

  #abortAgent(): void {
    if (this.#agent === this.#setup.agent && !this.#setup.alone()) return;
    try {
      this.#agent.abortRun();
    } catch (error) {
      this.#host.logger.warn("the agent's `abortRun` failed", { error: messageOf(error) });
    }
  }

  async #end(terminal: AnyEvent): Promise<void> {
    // A recovery's run that did not even begin is not tried again by its own end.
    const goesOn = !this.recovered || this.#phase !== "before";
    this.#phase = "over";
    this.#stopTimer();
    await this.#patient(this.#history.end(terminal));
    this.#setup.release();
    if (goesOn) this.#host.carryOn(this.#request.input.threadId, this.#request.context);
    this.feed.publish(terminal);
    this.feed.end();
    this.#finish();
  }

  /** One thing after another, in the order it happened. */
  #then(step: () => void | Promise<void>): void {
    this.#work = this.#work
      .then(step)
      .catch((error) => this.#fail(error))
      .catch((error) => this.#host.logger.error("the run could not be ended", { error: messageOf(error) }));
  }

  async #patient(write: Promise<void>): Promise<void> {
    await within(this.#host.clock, STORE_WAIT_MS, write, () => undefined);
  }
}
