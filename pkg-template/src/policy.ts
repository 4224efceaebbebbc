import { bad } from "./checks.js";
import * as engine from "./engine.js";
import { deepFreeze } from "./json.js";
import { type Asked, ask } from "./policy/ask.js";
import { PolicyError } from "./policy/error.js";
import { layersOf, layersOfAll, remember, type Source } from "./policy/layers.js";
import { checkDirectories, checkPolicyOptions } from "./policy/options.js";
import { isMadeOf, Rules } from "./policy/rules.js";
import type {
  CheckOptions,
  Diagnostic,
  JsonObject,
  Policy,
  PolicyDocument,
  PolicyLayer,
  PolicyOptions,
  Suggestion,
  ToolCall,
} from "./types.js";

/** Makes a policy of a typed literal. Throws PolicyError; for text and imported JSON there is `parsePolicy`. */
export function createPolicy(document: PolicyDocument, options: PolicyOptions = {}): Policy {
  if (typeof document === "string") throw bad("`createPolicy` takes a document object; `parsePolicy` takes text");
  return compile("`createPolicy`", document, options);
}

/** Makes a policy of text, which may hold comments, or of an imported JSON file. Throws PolicyError. */
export function parsePolicy(source: string | JsonObject, options: PolicyOptions = {}): Policy {
  return compile("`parsePolicy`", source, options);
}

/** Everything there is to say of a document: what stops it from loading, and what is likely not meant. */
export function lintPolicy(source: string | JsonObject | PolicyDocument, options: PolicyOptions = {}): Diagnostic[] {
  checkPolicyOptions("`lintPolicy`", options);
  const { name = "", strict, tools, cwd, home, platform } = options;
  checkDirectories({ cwd, home, platform });
  try {
    return engine.lint(layersOf(source, name), { strict, tools }, { cwd, home, platform });
  } catch (error) {
    if (error instanceof PolicyError) return [...error.diagnostics];
    throw error;
  }
}

/**
 * Merges documents into one, the most trusted first; a layer with `trust: "restrict"` can only make it stricter. Throws
 * PolicyError. What was ignored of a layer, and every line, is known to the policy that is made of the result.
 */
export function mergePolicies(...layers: readonly PolicyLayer[]): PolicyDocument {
  const read = layersOfAll(layers);
  const { document, diagnostics } = engine.merge(read, {});
  if (diagnostics.some(({ severity }) => severity === "error")) throw new PolicyError(diagnostics);
  return remember(document, read);
}

function compile(what: string, source: Source, options: PolicyOptions): Policy {
  checkPolicyOptions(what, options);
  return policyOf(new Rules(layersOf(source, options.name ?? ""), options));
}

/** The policy with these rules; its methods need no `this`. */
function policyOf(rules: Rules): Policy {
  const { digest, counts, diagnostics } = rules.compiled.facts;
  const policy: Policy = {
    digest,
    counts: deepFreeze({ ...counts }),
    diagnostics: deepFreeze([...diagnostics]),
    check: (...asked: Asked) => ask(rules, "decision", asked).decision,
    explain: (...asked: Asked) => ask(rules, "explanation", asked).explanation,
    suggest: (...asked: Asked) => suggest(rules, asked),
    preview: (...asked: Asked) => ask(rules, "preview", asked).preview,
  };
  return isMadeOf(Object.freeze(policy), rules);
}

function suggest(rules: Rules, asked: Asked): Suggestion[] {
  const { suggestions } = ask(rules, "suggestions", asked);
  const recent = (typeof asked[0] === "string" ? asked[2] : (asked[1] as CheckOptions | undefined))?.recent;
  return suggestions.map(({ content, text, covered }) => ({
    content,
    text,
    scopeHint: "session",
    ...(recent && { covered: covered.map((index) => recent[index] as ToolCall) }),
  }));
}
