import { bad, checkWord } from "../checks.js";
import { AckError } from "../error.js";
import { rejectUnknown } from "../names.js";
import type { Policy, PolicyCase, RuleDecision, ToolCall } from "../types.js";

/** Checks what a policy says of calls against what it is to say. */
export function testPolicy(
  policy: Policy,
  cases: readonly PolicyCase[],
): { passed: number; failed: readonly { case: PolicyCase; got: RuleDecision }[] } {
  const failed = cases.flatMap((each, index) => {
    const where = `case ${index + 1}`;
    if (typeof each !== "object" || each === null) throw bad(`${where} must be an object`);
    rejectUnknown(where, each, ["name", "tool", "input", "expect", "options"]);
    if (each.expect === undefined) throw bad(`${where} needs \`expect\``);
    checkWord(`expect of ${where}`, each.expect, ["allow", "ask", "deny"]);
    const got = policy.check(each.tool, each.input, each.options);
    return got.behavior === each.expect ? [] : [{ case: each, got }];
  });
  return { passed: cases.length - failed.length, failed };
}

/** The calls whose verdict changes from one policy to another, with both decisions. */
export function replayPolicy(
  before: Policy,
  after: Policy,
  calls: Iterable<ToolCall>,
): readonly { call: ToolCall; before: RuleDecision; after: RuleDecision }[] {
  return [...calls].flatMap((call) => {
    const [was, is] = [decided(before, call), decided(after, call)];
    return was.behavior === is.behavior ? [] : [{ call, before: was, after: is }];
  });
}

/** Arguments that can't be judged are refused whatever the rules are. */
function decided(policy: Policy, call: ToolCall): RuleDecision {
  try {
    return policy.check(call);
  } catch (error) {
    if (!AckError.is(error) || error.code !== "bad_request") throw error;
    return { behavior: "deny", ruleId: "invalid-arguments", reason: error.message };
  }
}
