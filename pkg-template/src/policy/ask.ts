import { argumentsOf } from "../calls.js";
import * as engine from "../engine.js";
import { AckError } from "../error.js";
import { deepFreeze, wellFormed } from "../json.js";
import type { CheckOptions, Input, JsonObject, ToolCall } from "../types.js";
import type { Question, Reply } from "../wasm/types.js";
import { type Hooks, preapproved, resolvePaths } from "./hooks.js";
import { checkCheckOptions } from "./options.js";
import type { Rules } from "./rules.js";

/** How `check` and its siblings are called. */
export type Asked =
  | readonly [call: ToolCall, options?: CheckOptions | undefined]
  | readonly [tool: string, input: Input, options?: CheckOptions | undefined];
type Judged = Pick<Question, "toolName" | "server" | "arguments" | "command">;
type Answered = Exclude<Reply, { type: "realPath" | "preapprove" }>;

/** Asks the rules; the host's hooks are asked in between, each once. */
export function ask<W extends Question["want"]>(rules: Rules, want: W, asked: Asked): Extract<Answered, { type: W }> {
  const { judged, options } = read(want, asked);
  const hooks: Hooks = {
    realPath: options.realPath ?? rules.hooks.realPath,
    preapprove: options.preapprove ?? rules.hooks.preapprove,
  };
  const question: Question = {
    ...judged,
    mode: options.mode,
    declared: options.capability,
    sessionAllows: options.sessionAllows?.sessionAllows() ?? [],
    realPath: hooks.realPath !== undefined,
    preapprove: hooks.preapprove !== undefined,
    want,
    recent: options.recent,
  };
  return answer(rules.within(options), question, hooks) as Extract<Answered, { type: W }>;
}

/** One question to the engine, with the hooks' answers as they are wanted. No wasm frame is open while a hook runs. */
export function answer(policy: engine.Compiled, question: Question, hooks: Hooks): Answered {
  let { real, preapproved: id } = question;
  while (true) {
    const reply = engine.ask(policy, { ...question, real, preapproved: id });
    if (reply.type === "realPath" && real === undefined) {
      const { paths } = resolvePaths(hooks, reply.paths);
      real = Object.fromEntries(reply.paths.map((path, index) => [path, paths[index] ?? null]));
    } else if (reply.type === "preapprove" && id === undefined) {
      id = idOf(hooks, question);
    } else if (reply.type === "realPath" || reply.type === "preapprove") {
      throw new AckError("internal", `the rules asked for \`${reply.type}\` twice`);
    } else {
      return reply;
    }
  }
}

function idOf(hooks: Hooks, { toolName, server, arguments: text, command }: Question): string {
  try {
    // A fresh parse of what is judged, so that the hook can't change it.
    const input = command ?? (deepFreeze(JSON.parse(text || "{}")) as JsonObject);
    return preapproved(hooks, { toolName, ...(server !== undefined && { server }) }, input);
  } catch {
    return "";
  }
}

function read(want: Question["want"], asked: Asked): { judged: Judged; options: CheckOptions } {
  const [first, second, third] = asked;
  const tool = typeof first === "string";
  const options = ((tool ? third : second) ?? {}) as CheckOptions;
  checkCheckOptions(METHODS[want], options);
  const checked = { ...options, recent: options.recent?.map(recentOf) };
  if (tool) return { judged: { toolName: first, server: options.server, ...inputOf(second) }, options: checked };
  const { toolName, server, arguments: text } = callOf(first);
  return { judged: { toolName, server: server ?? options.server, ...textOf(text) }, options: checked };
}
const METHODS = { decision: "`check`", explanation: "`explain`", suggestions: "`suggest`", preview: "`preview`" };

function inputOf(input: unknown): Pick<Question, "arguments" | "command"> {
  if (typeof input !== "string") return textOf(input);
  if (!wellFormed(input)) throw new AckError("bad_request", "the command holds an unpaired surrogate");
  return { command: input };
}

function textOf(given: unknown): Pick<Question, "arguments"> {
  const { text, invalid } = argumentsOf(given);
  if (invalid !== undefined) throw new AckError("bad_request", invalid);
  return { arguments: text };
}

/** The wire form of a call, nothing else of what it carries. */
function callOf(call: ToolCall): ToolCall {
  const { sessionId, toolCallId, toolName, server, arguments: text } = (call ?? {}) as ToolCall;
  for (const [name, value] of Object.entries({ toolName, arguments: text })) {
    if (typeof value !== "string") {
      throw new AckError("bad_request", `\`${name}\` of a call must be a text; an object goes in as \`(tool, input)\``);
    }
  }
  return {
    sessionId: sessionId ?? "",
    toolCallId: toolCallId ?? "",
    toolName,
    ...(server !== undefined && { server }),
    arguments: text,
  };
}

/** Arguments that can't be judged are covered by nothing. */
function recentOf(call: ToolCall): ToolCall {
  const given = callOf(call);
  return wellFormed(given.arguments) ? given : { ...given, arguments: "null" };
}
