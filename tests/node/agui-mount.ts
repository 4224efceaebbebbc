// An agent handler over the doubles, and what its tests ask again and again.
import assert from "node:assert/strict";
import type { AbstractAgent, Message, RunAgentInput } from "@ag-ui/client";
import { type AgentHandlerOptions, agentHandler, type WrapOptions } from "ackgate/agui";
import {
  card,
  type Event,
  fakeGate,
  follow,
  input,
  post,
  runFinished,
  runStarted,
  type Script,
  ScriptedAgent,
  say,
  toolCall,
  toolResult,
} from "./agui-fakes.ts";

export const BLOCK: WrapOptions = { mode: "block" };
export const types = (events: readonly Event[]) => events.map(({ type }) => type);
export const user = (id: string, content = "hi") => ({ id, role: "user", content }) as const;
export const called = (id: string, name: string, messageId = `a-${id}`) => ({
  id: messageId,
  role: "assistant" as const,
  toolCalls: [{ id, type: "function" as const, function: { name, arguments: "{}" } }],
});
export const tool = (name: string) => ({ name, description: "", parameters: {} });

export const OWNER = { app: "ack", user: "ann", session: "t" };
export const quick: Script = (each, emit) => {
  emit(runStarted(each));
  for (const event of say(`m-${each.runId}`, "done")) emit(event);
  emit(runFinished(each));
};

export function mount(
  script: Script,
  over: Partial<AgentHandlerOptions> = {},
  fake = fakeGate(),
  agent?: AbstractAgent,
) {
  const identify = (request: Request) => ({ user: request.headers.get("x-user") ?? "ann" });
  const handler = agentHandler(agent ?? new ScriptedAgent(script), fake.gate, { mode: "block", identify, ...over });
  const history = () => JSON.parse(fake.state.get(OWNER) ?? '{"messages":[]}').messages as Message[];
  const start = async (each: Partial<RunAgentInput> & Record<string, unknown> = {}, headers = {}) =>
    follow(await handler(post("/agui", input(each), headers)));
  return { ...fake, handler, history, start };
}

export async function refused(response: Response, status: number, code: string): Promise<void> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  assert.deepEqual([response.status, error.code], [status, code], error.message);
}

/** A run that waits for its person, and whose tool says so when it is told to stop. */
export function waiting(fake: ReturnType<typeof fakeGate>, settles = true): Script {
  return async (each, emit) => {
    emit(runStarted(each));
    for (const event of toolCall("c1", "delete_note", '{"id":1}', "a1")) emit(event);
    const scope = fake.scope();
    scope?.emit?.(card("c1", "pending"));
    await new Promise<void>((resolve) => scope?.signal?.addEventListener("abort", () => resolve()));
    if (!settles) await new Promise(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    scope?.emit?.(card("c1", "canceled"));
    emit(toolResult("c1", '{"status":"denied"}'));
    await new Promise(() => {});
  };
}

export const snapshot = async (handler: ReturnType<typeof mount>["handler"], headers = {}) => {
  const stream = follow(await handler(post("/agui/history", { threadId: "t", runId: "h1" }, headers)));
  await stream.done;
  assert.deepEqual(stream.types(), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  assert.deepEqual([stream.events[0]?.threadId, stream.events[0]?.runId], ["t", "h1"]);
  const messages = stream.events[1]?.messages as Message[];
  return { messages, result: stream.events[2]?.result };
};

export async function drained(
  bound: ReturnType<typeof fakeGate>["bound"],
  over: { runId: string; messages: object[]; forwardedProps?: object },
) {
  const asked = { threadId: "t", tools: [], context: [], ...over } as unknown as Parameters<typeof bound.runner.run>[0];
  const events: Event[] = [];
  for await (const event of (await bound.runner.run(asked, { user: "ann" })) as AsyncIterable<Event>)
    events.push(event);
  return events;
}
