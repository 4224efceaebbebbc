import { bad } from "../checks.js";
import { messageOf } from "../error.js";
import { type HostSide, hostOf } from "../internal.js";
import { keyOf } from "../policy/hooks.js";
import type { Context, Decision, Gate, Payload } from "../types.js";
import { type Answer, Answers, type Script } from "./script.js";

export interface Approver {
  /** Every question it has met, in order. */
  readonly asked: readonly Payload[];
  /** Throws when a question had no answer, when an answer was refused, and when one was never asked for. */
  assertDone(): void;
  /** From here on it answers nothing. */
  stop(): void;
}

/**
 * A person who answers from a script, each question once: what is open already, and what calls of this gate come to. A
 * question that the script has no answer for stays open. `as`: who answers; without it whoever the call is from.
 */
export function fakeApprover(
  gate: Pick<Gate, "decide" | "inbox">,
  script: Script,
  options: { as?: Context | undefined } = {},
): Approver {
  const host: HostSide | undefined = hostOf(gate);
  if (!host) throw bad("`fakeApprover` needs a gate that `createGate` made");
  const answers = new Answers(script, host.toolNames());
  const asked: Payload[] = [];
  const met = new Set<string>();
  const failures: string[] = [];

  const meet = async (request: Payload, context: Context): Promise<void> => {
    const { userId, sessionId, confirmationId } = request;
    const id = JSON.stringify([userId, sessionId, confirmationId]);
    if (met.has(id)) return;
    met.add(id);
    asked.push(request);
    const question = `\`${keyOf(request)}\` (\`${confirmationId}\`)`;
    try {
      const answer = answers.next(request);
      const decision = answer && decisionOf(answer, request);
      if (decision) await gate.decide(decision, { context });
      else if (answer === undefined) failures.push(`the script has no answer for ${question}`);
    } catch (error) {
      failures.push(`the answer for ${question} failed: ${messageOf(error)}`);
    }
  };
  const deaf = host.asked((request, context) => void meet(request, options.as ?? context));
  let stopped = false;
  const meetOpen = async (): Promise<void> => {
    const context = options.as ?? {};
    try {
      for await (const item of gate.inbox({ status: "pending" }, { context })) if (!stopped) void meet(item, context);
    } catch (error) {
      failures.push(`what was open could not be read: ${messageOf(error)}`);
    }
  };
  // Without a list of sessions nobody can know what is open in them.
  if (host.state.sessions) void meetOpen();

  return {
    asked,
    assertDone() {
      const problems = [...failures, ...answers.left()];
      if (problems.length > 0) throw new Error(`the script and the questions differ: ${problems.join("; ")}`);
    },
    stop() {
      stopped = true;
      deaf();
    },
  };
}

/** Undefined: the question stays open. */
function decisionOf(answer: Answer, request: Payload): Decision | undefined {
  const { sessionId, confirmationId, argumentsDigest: expectedDigest } = request;
  const about = { sessionId, confirmationId, expectedDigest };
  if (answer === "ignore") return undefined;
  if (answer === "approve") return { ...about, approved: true };
  if (answer === "deny") return { ...about, approved: false };
  return "approve" in answer
    ? { ...about, approved: true, ...answer.approve }
    : { ...about, approved: false, ...answer.deny };
}
