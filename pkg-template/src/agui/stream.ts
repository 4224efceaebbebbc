import type { BaseEvent, RunAgentInput } from "@ag-ui/client";
import type { Subscriber } from "rxjs";
import { hostOf } from "../internal.js";
import type { CustomEvent, Payload } from "../types.js";
import { activityCard, drawing } from "./card-messages.js";
import { type AnyEvent, frontendTools, isTerminal, seen, sent, started } from "./events.js";
import { interrupted } from "./interrupts.js";
import { Open } from "./open.js";
import { ParkedCalls } from "./parked.js";
import { refusal } from "./repair.js";
import type { GatedRun } from "./scope.js";
import { watchUngated } from "./ungated.js";

const NOT_RUN =
  "this call was not run: the run ended while a person is asked about another one. Call it again if it is still needed.";

/** The outer stream of one run: what the gate says waits for RUN_STARTED and never follows a terminal event. */
export class Stream {
  /** Where the run may end with open questions. */
  readonly parking: ParkedCalls | undefined;
  readonly #run: GatedRun;
  readonly #input: RunAgentInput;
  readonly #out: Subscriber<BaseEvent>;
  readonly #watch: (event: AnyEvent) => void;
  readonly #open: Open;
  #phase: "before" | "open" | "over" = "before";
  #begun = false;
  #early: AnyEvent[] = [];

  constructor(run: GatedRun, input: RunAgentInput, out: Subscriber<BaseEvent>) {
    const { clock } = hostOf(run.gate);
    this.#run = run;
    this.#input = input;
    this.#out = out;
    this.#watch = watchUngated(hostOf(run.gate), input);
    this.#open = new Open(frontendTools(input));
    if (run.style.mode !== "block") {
      const { signal } = run.controller;
      this.parking = new ParkedCalls(run.style, clock, signal, this.#open, (open) => this.#leaveOpen(open));
    }
  }

  get isOver(): boolean {
    return this.#phase === "over" || this.#out.closed;
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Begins the run ahead of the agent, whose own RUN_STARTED is passed over then. */
  start(): void {
    if (this.#phase === "before") this.#send(started(this.#input));
  }

  /** An event of the agent. */
  next(event: BaseEvent): void {
    const each = seen(event);
    if (this.isOver || (each.type === "RUN_STARTED" && this.#phase === "open")) return;
    this.#watch(each);
    // INVARIANT: a run that leaves questions open is no success, whatever its agent says.
    if (each.type === "RUN_FINISHED" && this.parking !== undefined && this.parking.open.length > 0) {
      this.parking.finish();
    } else {
      this.#send(each);
      this.parking?.changed();
    }
  }

  /** A card of the gate. */
  emit(event: CustomEvent): void {
    this.parking?.card(event.value);
    this.#say({ ...event });
    if (this.#run.style.activity) this.#say(drawing(activityCard(event.value)));
  }

  /** A call's result that the agent does not send itself. */
  result(toolCallId: string, content: string): void {
    this.#say({ type: "TOOL_CALL_RESULT", messageId: `result:${toolCallId}`, toolCallId, content, role: "tool" });
  }

  /** The run's last event, from the gate itself. */
  end(event: AnyEvent): void {
    if (this.isOver) return;
    this.#send(event);
    this.#out.complete();
  }

  close(): void {
    this.#phase = "over";
    this.parking?.close();
  }

  #say(event: AnyEvent): void {
    if (this.isOver) this.#late(event);
    else if (this.#phase === "before") this.#early.push(event);
    else this.#send(event);
  }

  #send(event: AnyEvent): void {
    if (isTerminal(event)) this.#phase = "over";
    this.#open.apply(event);
    this.#out.next(sent(event));
    if (event.type !== "RUN_STARTED") return;
    this.#begun = true;
    this.#phase = "open";
    for (const early of this.#early.splice(0)) this.#say(early);
  }

  /** Ends the run with its open questions. A call that never came to the gate can't come any more: that is its result. */
  #leaveOpen(open: readonly Payload[]): void {
    const { gate } = this.#run;
    this.start();
    for (const end of this.#open.ends) this.#send(end);
    for (const id of this.#open.unfinished) {
      const tool = this.#open.nameOf(id);
      const parked = open.some(({ toolCallId }) => toolCallId === id);
      const gated = hostOf(gate).toolNames()?.includes(tool) === true;
      if (gated && !parked && !this.parking?.came(id)) this.result(id, refusal(tool, NOT_RUN));
    }
    this.end(interrupted(this.#input, open));
  }

  #late({ type, toolCallId, value }: AnyEvent): void {
    const { confirmationId } = (value ?? {}) as Partial<Payload>;
    const fields = { type, ...(toolCallId !== undefined && { toolCallId }), ...(confirmationId && { confirmationId }) };
    hostOf(this.#run.gate).logger.debug?.("the run is over: an event was not sent into it", fields);
  }
}
