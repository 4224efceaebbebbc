// An agent whose run ends while its person is asked, over a gate with a clock of the test's own.
import type { RunAgentInput } from "@ag-ui/client";
import { type GateOptions, memoryState, type SessionState } from "ackgate";
import { type WrapOptions, wrapAgent } from "ackgate/agui";
import { testGate } from "ackgate/testing";
import {
  collect,
  type Event,
  gateway,
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

/** Tools of which the deleting one runs until `going` is opened, and says by `running` that it does. */
export function heldTools() {
  const [running, going] = [gateway(), gateway()];
  const tools = {
    delete_note: async () => {
      running.open();
      await going.passed;
      return "gone";
    },
    read_note: () => "",
  };
  return { tools, running, going };
}

/** A memory whose lists take a while, and that while. */
export function slowLists() {
  const memory = memoryState();
  const slow = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const state: SessionState = {
    ...memory,
    async list(...args) {
      await slow();
      return memory.list(...args);
    },
  };
  return { state, slow };
}

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
  const call = (toolCallId: string, toolName = "delete_note") =>
    gate.execute({ toolCallId, toolName, arguments: JSON.stringify({ id: toolCallId }) });
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
  return { gate, agent, ran, logs, wrapped, run, call };
}
interface Bench {
  readonly calls?: readonly string[];
  readonly gate?: Partial<GateOptions>;
  readonly wrap?: WrapOptions;
  readonly script?: (call: (id: string, tool?: string) => Promise<{ content: string }>) => Script;
}
