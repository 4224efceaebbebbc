import type { Grounds, Judged } from "./judge.js";
import { answer } from "./policy/ask.js";
import { keyOf } from "./policy/hooks.js";
import type { Evaluation, Explanation, RuleDecision, ToolCall } from "./types.js";
import type { TraceEntry } from "./wasm/types.js";

const SESSION_ALLOW = "rule.session.allow";
const BEHAVIOR = { allow: "allow", confirm: "ask", deny: "deny" } as const;

/** A judged call as a trace and in words: the rules' own where they decided, else who did. */
export function explained(call: ToolCall, { trace, outcome, grounds }: Judged, evaluation: Evaluation): Explanation {
  const chain =
    grounds?.rules && trace.some(({ asked }) => asked === "rules") ? asked(call, grounds, trace) : undefined;
  const reason = reasonOf(call, evaluation, outcome.disposition === "deny" ? outcome.reason : undefined);
  const byRules = chain !== undefined && rulesDecided(chain.decision, evaluation);
  const { disposition } = evaluation;
  return {
    decision: chain?.decision ?? { behavior: BEHAVIOR[disposition], ruleId: ruleIdOf(evaluation), reason },
    evaluation,
    stages: stagesOf(trace, chain),
    human: byRules ? chain.human : sentence(reason, evaluation),
    model: disposition === "deny" ? evaluation.reason : byRules ? chain.model : modelText(call, disposition),
    log: { tool: keyOf(call), ...chain?.log, ...logOf(evaluation) },
  };
}

/** What the rules say, asked with what they were told before: no hook is called. */
function asked(
  call: ToolCall,
  { rules, mode, declared, heard }: Grounds,
  trace: readonly TraceEntry[],
): Explanation | undefined {
  if (!rules) return undefined;
  const { toolName, server, arguments: text } = call;
  const question = {
    toolName,
    server,
    arguments: text,
    mode,
    declared,
    realPath: rules.hooks.realPath !== undefined,
    preapprove: rules.hooks.preapprove !== undefined,
    want: "explanation",
    ...heard,
  } as const;
  const reply = answer(rules.compiled, question, {});
  if (reply.type !== "explanation") return undefined;
  const granted = trace.some((entry) => entry.asked === "session grants" && entry.said === "hit");
  return granted ? byGrant(call, reply.explanation) : reply.explanation;
}

/** In a gate the session's grants are the session's allows. */
function byGrant(call: ToolCall, explanation: Explanation): Explanation {
  const reason = `a grant of the session covers this call of \`${keyOf(call)}\``;
  const at = explanation.stages.findIndex(({ stage }) => stage === SESSION_ALLOW);
  const stages = explanation.stages
    .slice(0, at + 1)
    .map((stage, index) => (index === at ? { ...stage, matched: true } : stage));
  const decision: RuleDecision = { behavior: "allow", ruleId: SESSION_ALLOW, reason };
  return {
    ...explanation,
    decision,
    stages,
    human: `${reason}.`,
    log: { ...explanation.log, behavior: "allow", ruleId: SESSION_ALLOW },
  };
}

function rulesDecided(decision: RuleDecision, evaluation: Evaluation): boolean {
  switch (evaluation.disposition) {
    case "allow":
    case "deny":
      return evaluation.source === "rules" && decision.behavior === evaluation.disposition;
    case "confirm":
      return decision.behavior === "ask" && (!evaluation.forced || evaluation.reason === decision.reason);
    default:
      return evaluation satisfies never;
  }
}

/** The rules' own rows stand where the gate asked them. */
function stagesOf(trace: readonly TraceEntry[], chain: Explanation | undefined): Explanation["stages"] {
  return trace.flatMap(({ asked, said }) => {
    if (asked === "rules" && chain) return chain.stages;
    if (asked === "preapprove" && chain) return [];
    return [{ stage: asked, matched: !["none", "abstain", "miss", "missed", "failed"].includes(said), detail: said }];
  });
}

function reasonOf(call: ToolCall, evaluation: Evaluation, said: string | undefined): string {
  const tool = `\`${keyOf(call)}\``;
  switch (evaluation.disposition) {
    case "allow":
      return `${tool} runs: ${allowedBy(evaluation)}`;
    case "confirm":
      return evaluation.reason;
    case "deny":
      return `${tool} is refused: ${deniedBy(evaluation, said)}`;
    default:
      return evaluation satisfies never;
  }
}

function allowedBy({ basis, source }: Extract<Evaluation, { disposition: "allow" }>): string {
  if (basis === "tier") return "its tier is `allow` and nobody objects";
  if (basis === "grant") return "a grant covers it";
  return source === "" ? "a source allows it" : `the source \`${source}\` allows it`;
}

function deniedBy({ basis, source }: Extract<Evaluation, { disposition: "deny" }>, said: string | undefined): string {
  if (basis === "tier") return "its tier is `deny`";
  if (basis === "verdict") {
    const by = source === "" ? "a source forbids it" : `the source \`${source}\` forbids it`;
    return said === undefined ? by : `${by} (${said})`;
  }
  return BASES[basis] ?? `\`${basis}\``;
}
const BASES: Partial<Record<string, string>> = {
  "no-human": "it needs a person and nobody can be asked",
  "invalid-arguments": "its arguments can't be judged",
  "engine-failed": "the permission check failed",
  canceled: "the run was stopped",
  expired: "the run ran out of time",
};

/** The reason, and for a question what would answer it. */
function sentence(reason: string, evaluation: Evaluation): string {
  if (evaluation.disposition !== "confirm") return `${reason}.`;
  return evaluation.forced
    ? `${reason}. Only the person's approval lets it run.`
    : `${reason}. The person's approval, a grant, a source that allows it or the tier \`allow\` lets it run.`;
}

function modelText(call: ToolCall, disposition: "allow" | "confirm"): string {
  return disposition === "allow" ? `\`${keyOf(call)}\` may run.` : `\`${keyOf(call)}\` needs a person's approval.`;
}

function ruleIdOf(evaluation: Evaluation): string {
  return evaluation.disposition === "confirm" ? "mode.default" : evaluation.basis;
}

function logOf(evaluation: Evaluation): Record<string, unknown> {
  const { disposition } = evaluation;
  if (disposition === "confirm") return { disposition, forced: evaluation.forced };
  return { disposition, basis: evaluation.basis, source: evaluation.source };
}
