import type { RunAgentInput } from "@ag-ui/client";
import { AckError } from "../error.js";
import { type HostSide, hostOf } from "../internal.js";
import type { Answered } from "../thread.js";
import type { Context, Payload, RunScope } from "../types.js";
import type { View } from "../wasm/types.js";
import { customEvent } from "../words.js";
import { answersIn, InvalidResume, withoutAnswers } from "./answers.js";
import { messagesOf } from "./events.js";
import { type Result, withRecorded } from "./recorded.js";
import type { GatedRun } from "./scope.js";

/** How a run begins: not at all, with questions that are still open, or with what was answered carried out. */
export type Beginning =
  | { readonly is: "invalid"; readonly message: string }
  | { readonly is: "open"; readonly open: readonly Payload[] }
  | {
      /** `elsewhere`: another run goes on with the results. */
      readonly is: "ready" | "elsewhere";
      readonly input: RunAgentInput;
      readonly results: readonly Result[];
    };

/** Codes of a check that an answer did not pass. */
const REFUSED: readonly string[] = ["bad_request", "forbidden", "conflict"];

/** Takes the answers that come with a run, and everything that was answered without one. `start` is called before a tool runs. */
export async function beginning(
  run: GatedRun,
  scope: RunScope & { readonly context: Context },
  input: RunAgentInput,
  start: () => void,
): Promise<Beginning> {
  const host = hostOf(run.gate);
  const { sessionId, context } = scope;
  let answered: readonly Answered[];
  try {
    answered = await take(run, host, input, context);
  } catch (error) {
    const refused = AckError.is(error) && REFUSED.includes(error.code);
    if (refused || error instanceof InvalidResume) return { is: "invalid", message: (error as Error).message };
    throw error;
  }
  const views = await host.views(sessionId, context);
  const open = run.style.mode === "block" ? [] : views.filter(({ stage, live }) => stage === "pending" && !live);
  if (open.length > 0) {
    if (answered.length > 0) warn(host, "PARTIAL_RESUME", "questions are still open", sessionId);
    return { is: "open", open: open.map(({ payload }) => payload) };
  }
  const ids = answered.filter(({ how }) => how !== "unknown").map(({ confirmationId }) => confirmationId);
  const waits = ({ stage, live }: View): boolean => !live && (stage === "decided" || stage === "executing");
  const rest = withoutAnswers(input, new Set(ids));
  if (ids.length === 0 && !views.some(waits)) {
    return { is: "ready", input: withRecorded(rest, views, []), results: [] };
  }
  start();
  const { settled, elsewhere } = await host.takeUp(scope, ids);
  // What was over before this run is told again, as far as it is known; what it carries out has been told by now.
  const over = views.filter(({ stage, payload }) => stage === "settled" && payload.toolCallId !== "");
  for (const { payload } of over) {
    if (ids.includes(payload.confirmationId)) await scope.emit?.(customEvent(payload, host.eventName));
  }
  // A client adds every result that it is sent to its messages, also one that it has.
  const has = (id: string, content: string): boolean =>
    messagesOf(input).some((each) => each.toolCallId === id && each.content === content);
  const results = settled.flatMap(({ payload: { toolCallId }, result }) =>
    result === undefined || has(toolCallId, result) ? [] : [{ toolCallId, content: result }],
  );
  const known = withRecorded(rest, await host.views(sessionId, context), results);
  return { is: elsewhere ? "elsewhere" : "ready", input: known, results };
}

/** Without answers, a new message may supersede what is open. */
async function take(
  run: GatedRun,
  host: HostSide,
  input: RunAgentInput,
  context: Context,
): Promise<readonly Answered[]> {
  const { threadId } = input;
  const answers = answersIn(input);
  if (answers.length === 0) {
    const said = messagesOf(input).at(-1)?.role === "user";
    if (said && host.newMessage === "supersede") await run.gate.supersede(threadId, { context });
    return [];
  }
  const answered = await host.answerAll(threadId, answers, context);
  for (const { confirmationId, how, same } of answered) {
    if (how === "unknown")
      warn(host, "UNKNOWN_INTERRUPT_ID", "an answer is about nothing known", threadId, confirmationId);
    if (how === "before" && !same) {
      warn(host, "ALREADY_SETTLED", "another answer was recorded, or none came in time", threadId, confirmationId);
    }
  }
  return answered;
}

function warn(host: HostSide, code: string, message: string, sessionId: string, confirmationId?: string): void {
  host.logger.warn(`resume: ${message}`, { code, sessionId, ...(confirmationId !== undefined && { confirmationId }) });
}
