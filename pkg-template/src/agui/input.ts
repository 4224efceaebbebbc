import type { RunAgentInput } from "@ag-ui/client";
import { bad, Fields, readObject } from "../http/body.js";

/** A whole conversation comes with each run. */
export const INPUT_LIMIT = 8 * 1024 * 1024;

/** A RunAgentInput as clients of every protocol version send it; what is optional is filled in for the agent. */
export async function readInput(request: Request): Promise<RunAgentInput> {
  const value = await readObject(request, INPUT_LIMIT);
  const body = new Fields(value);
  body.id("threadId");
  body.id("runId");
  const messages = list(body, "messages");
  if (!messages?.every(isMessage)) throw bad("`messages` must be a list of messages, each with `id` and `role`");
  const tools = list(body, "tools");
  if (!(tools ?? []).every(isTool)) throw bad("`tools` must be a list of tools, each with a `name`");
  const defaults = { state: {}, context: [], forwardedProps: {} };
  return { ...defaults, ...value, messages, tools: tools ?? [] } as unknown as RunAgentInput;
}

function list(body: Fields, name: string): unknown[] | undefined {
  const value = body.get(name);
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw bad(`\`${name}\` must be a list`);
}

function isMessage(value: unknown): boolean {
  const { id, role, toolCalls } = (value ?? {}) as { id?: unknown; role?: unknown; toolCalls?: unknown };
  const calls = toolCalls ?? [];
  return typeof id === "string" && typeof role === "string" && Array.isArray(calls) && calls.every(isCall);
}

function isCall(value: unknown): boolean {
  const { id, function: called } = (value ?? {}) as { id?: unknown; function?: { name?: unknown } };
  return typeof id === "string" && typeof called?.name === "string";
}

function isTool(value: unknown): boolean {
  return typeof (value as { name?: unknown } | null)?.name === "string";
}
