import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import { Observable } from "rxjs";
import { hostOf } from "../internal.js";
import type { Context, Gate, Payload, ResumeRunner } from "../types.js";
import { copyOf } from "./copy.js";
import { checkWrapOptions, WRAP_OPTIONS, type WrapOptions } from "./options.js";
import { gatedRun, settledIn } from "./scope.js";

/** The agent whose gated tools have a run to speak into. Also registers it as the gate's resume runner. */
export function wrapAgent(agent: AbstractAgent, gate: Gate, options?: WrapOptions): AbstractAgent {
  const checked = checkWrapOptions("`wrapAgent`", options, WRAP_OPTIONS);
  const wrapped = new GatedAgent(unwrapped(agent, gate), gate, checked);
  const resume = (given: Parameters<ResumeRunner["run"]>[0], context: Context) => {
    const input = { state: {}, forwardedProps: {}, ...given } as unknown as RunAgentInput;
    return wrapped.runAs(input, () => context, settledIn(input));
  };
  hostOf(gate).bind({ run: resume });
  return wrapped;
}

/** The agent inside when it is already wrapped for this gate: two scopes would hide the outer one's context. */
export function unwrapped(agent: AbstractAgent, gate: Gate): AbstractAgent {
  return agent instanceof GatedAgent && agent.gate === gate ? agent.inner : agent;
}

class GatedAgent extends AbstractAgent {
  inner: AbstractAgent;
  gate: Gate;
  private options: WrapOptions;
  private running = new Set<AbortController>();

  constructor(inner: AbstractAgent, gate: Gate, options: WrapOptions) {
    const { agentId, description, threadId, messages, state } = inner;
    super({
      ...(agentId !== undefined && { agentId }),
      description,
      threadId,
      initialMessages: messages,
      initialState: state,
    });
    this.inner = inner;
    this.gate = gate;
    this.options = options;
    this.subscribers = [...inner.subscribers];
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return this.runAs(input, () => this.options.context?.(input) ?? {});
  }

  runAs(
    input: RunAgentInput,
    context: () => Context | PromiseLike<Context>,
    settled: readonly Payload[] = [],
  ): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const controller = new AbortController();
      const { inner: agent, gate, options } = this;
      this.running.add(controller);
      const run = { gate, agent, activity: options.activity === true, context, controller, settled };
      const subscription = gatedRun(run, input).subscribe(subscriber);
      return () => {
        this.running.delete(controller);
        subscription.unsubscribe();
      };
    });
  }

  override abortRun(): void {
    for (const controller of this.running) controller.abort();
    this.inner.abortRun();
  }

  override clone(): GatedAgent {
    const copy = super.clone() as GatedAgent;
    copy.inner = copyOf(this.inner);
    copy.gate = this.gate;
    copy.options = this.options;
    copy.running = new Set();
    return copy;
  }

  override async getCapabilities() {
    const base = (await this.inner.getCapabilities?.()) ?? {};
    return { ...base, humanInTheLoop: { ...base.humanInTheLoop, supported: true, approvals: true } };
  }

  protected override connect(input: RunAgentInput): Observable<BaseEvent> {
    return (this.inner as unknown as { connect: AbstractAgent["run"] }).connect(input);
  }
}
