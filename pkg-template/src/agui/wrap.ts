import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import { Observable } from "rxjs";
import { hostOf } from "../internal.js";
import type { Context, Gate, Payload, ResumeRunner } from "../types.js";
import { isActive } from "./active.js";
import { copyOf } from "./copy.js";
import { callMessage, messagesOf } from "./events.js";
import { checkWrapOptions, type RunStyle, WRAP_OPTIONS, type WrapOptions } from "./options.js";
import { gatedRun, settledIn } from "./scope.js";

/** The agent whose gated tools have a run to speak into. Also registers it as the gate's resume runner. */
export function wrapAgent(agent: AbstractAgent, gate: Gate, options: WrapOptions = {}): AbstractAgent {
  const style = checkWrapOptions("`wrapAgent`", options, WRAP_OPTIONS);
  const wrapped = new GatedAgent(unwrapped(agent, gate), gate, style, options.context);
  const resume = (given: Parameters<ResumeRunner["run"]>[0], context: Context) => {
    const input = { state: {}, forwardedProps: {}, ...given } as unknown as RunAgentInput;
    const settled = settledIn(input);
    return wrapped.runAs(withCalls(input, settled), () => context, settled);
  };
  hostOf(gate).bind({ run: resume }, (session) => isActive(gate, session));
  return wrapped;
}

/** No thread is stored here, so each result comes with its call: a model provider refuses one without. */
function withCalls(input: RunAgentInput, settled: readonly Payload[]): RunAgentInput {
  const calls = new Map(settled.map((payload) => [payload.toolCallId, callMessage(payload)]));
  const messages = messagesOf(input).flatMap((message) => {
    const call = calls.get(message.toolCallId ?? "");
    return call === undefined ? [message] : [call, message];
  });
  return { ...input, messages: messages as unknown as RunAgentInput["messages"] };
}

/** The agent inside when it is already wrapped for this gate: two scopes would hide the outer one's context. */
export function unwrapped(agent: AbstractAgent, gate: Gate): AbstractAgent {
  return agent instanceof GatedAgent && agent.gate === gate ? agent.inner : agent;
}

class GatedAgent extends AbstractAgent {
  inner: AbstractAgent;
  gate: Gate;
  private style: RunStyle;
  private contextOf: WrapOptions["context"];
  private running = new Set<AbortController>();

  constructor(inner: AbstractAgent, gate: Gate, style: RunStyle, contextOf: WrapOptions["context"]) {
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
    this.style = style;
    this.contextOf = contextOf;
    this.subscribers = [...inner.subscribers];
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return this.runAs(input, () => this.contextOf?.(input) ?? {});
  }

  runAs(
    input: RunAgentInput,
    context: () => Context | PromiseLike<Context>,
    settled?: readonly Payload[],
  ): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const controller = new AbortController();
      const { inner: agent, gate, style } = this;
      this.running.add(controller);
      // Runs of other threads go on in the same agent.
      const stop = (): void => void (this.running.size === 1 && agent.abortRun());
      const run = { gate, agent, style, context, controller, stop, settled, recovered: settled !== undefined };
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
    copy.style = this.style;
    copy.contextOf = this.contextOf;
    copy.running = new Set();
    return copy;
  }

  override async getCapabilities() {
    const base = (await this.inner.getCapabilities?.()) ?? {};
    const ways = this.style.mode === "block" ? {} : { interrupts: true, approveWithEdits: true };
    return { ...base, humanInTheLoop: { ...base.humanInTheLoop, supported: true, approvals: true, ...ways } };
  }

  protected override connect(input: RunAgentInput): Observable<BaseEvent> {
    return (this.inner as unknown as { connect: AbstractAgent["run"] }).connect(input);
  }
}
