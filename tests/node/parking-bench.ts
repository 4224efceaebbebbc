// An agent whose run ends while its person is asked, over a gate with a clock of the test's own.
import type { RunAgentInput } from "@ag-ui/client";
import type { GateOptions } from "ackgate";
import { type WrapOptions, wrapAgent } from "ackgate/agui";
import { testGate } from "ackgate/testing";
import {
  collect,
  type Event,
  input,
  runFinished,
  runStarted,
  type Script,
  ScriptedAgent,
  toolCall,
  toolResult,
} from "./agui-fakes.ts";

export const ANN = { context: { user: "ann" } };
export const SESSION = { app: "ack", user: "ann", session: "t" };
const INTERRUPT: WrapOptions = { mode: "interrupt" };
export const resumed = (runId: string, ...resume: object[]) => input({ runId, resume } as Partial<RunAgentInput>);
export const yes = (interruptId: string, more = {}) => ({
  interruptId,
  status: "resolved",
  payload: { approved: true, ...more },
});
export const YES = (confirmationId: string) => ({ sessionId: "t", confirmationId, approved: true }) as const;
export const cards = (events: readonly Event[]) =>
  events.flatMap(({ type, value }) => {
    const { confirmationId, status } = (value ?? {}) as { confirmationId?: string; status?: string };
    return type === "CUSTOM" ? [`${confirmationId} ${status}`] : [];
  });
export const end = (events: readonly Event[]) => {
  const { type, outcome } = events.at(-1) ?? { type: "nothing" };
  return type === "RUN_FINISHED" ? ((outcome as { type: string } | undefined)?.type ?? "success") : type;
};

/** A gate with an agent that deletes the notes of these calls at once, in its first run. */
export function bench({ calls = ["c1"], gate: over = {}, wrap = INTERRUPT, script }: Bench = {}) {
  const ran: string[] = [];
  const logs: string[] = [];
  const log = (message: string) => void logs.push(message);
  const gate = testGate({
    user: "ann",
    tools: {
      delete_note: { idempotent: false, run: ({ id }: { id: string }) => `gone ${ran.push(id)}` },
      read_note: () => "read",
    },
    tiers: { delete_note: "confirm", read_note: "allow" },
    logger: { warn: log, error: log },
    ...(over as object),
  });
  const call = (toolCallId: string) =>
    gate.execute({ toolCallId, toolName: "delete_note", arguments: JSON.stringify({ id: toolCallId }) });
  const whole: Script = async (each, emit) => {
    emit(runStarted(each));
    if (!each.messages.some(({ role }) => role === "tool")) {
      for (const id of calls) for (const event of toolCall(id, "delete_note")) emit(event);
      await Promise.all(calls.map(async (id) => emit(toolResult(id, (await call(id)).content))));
    }
    emit(runFinished(each));
  };
  const agent = new ScriptedAgent(script ? script(call) : whole);
  const wrapped = wrapAgent(agent, gate as never, { context: () => ANN.context, ...wrap });
  const run = (each: RunAgentInput = input()) => collect(wrapped.run(each));
  return { gate, ran, logs, wrapped, run, call };
}
interface Bench {
  readonly calls?: readonly string[];
  readonly gate?: Partial<GateOptions>;
  readonly wrap?: WrapOptions;
  readonly script?: (call: (id: string) => Promise<{ content: string }>) => Script;
}
