import type { ToolCall } from "./call.js";
import type { Evaluation } from "./gate.js";
import type { Suggestion } from "./record.js";
import type { ToolTraits } from "./tool.js";
import type { JsonObject, Mode, Tier } from "./words.js";

/** Rules as data. Text may hold comments; `policy.schema.json` of this package describes it to editors. */
export interface PolicyDocument {
  readonly $schema?: string | undefined;
  readonly version: 1;
  readonly mode?: Mode | undefined;
  /** For tools that `tiers` does not list. */
  readonly defaultTier?: Tier | undefined;
  readonly tiers?: Readonly<Record<string, Tier>> | undefined;
  /** Names that run in every mode unless a deny rule matches. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Names that never run. */
  readonly disallowedTools?: readonly string[] | undefined;
  readonly deny?: readonly RuleEntry[] | undefined;
  readonly ask?: readonly RuleEntry[] | undefined;
  readonly allow?: readonly RuleEntry[] | undefined;
  readonly tools?: Readonly<Record<string, ToolTraits & { readonly inputSchema?: JsonObject | undefined }>> | undefined;
  /** A rule for `@NAME` covers each tool of that family. */
  readonly families?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly limits?:
    | { readonly argumentsBytes?: number | undefined; readonly commandBytes?: number | undefined }
    | undefined;
}
/** `Tool(content)`, or its parts. */
export type RuleEntry =
  | string
  | {
      readonly tool: string;
      /** Absent: every call. */
      readonly content?: string | undefined;
      /** What the content is compared with; told by its form when absent. */
      readonly kind?: "url" | "path" | "text" | undefined;
      readonly server?: string | undefined;
      readonly reason?: string | undefined;
      /** What to do instead. */
      readonly alternative?: string | undefined;
      /** Checked when the policy loads; a string is a command, an object is a call's arguments. */
      readonly match?: readonly (string | JsonObject)[] | undefined;
      readonly notMatch?: readonly (string | JsonObject)[] | undefined;
    };
/** The host's facts, once per policy instead of once per check; the gate uses them too. */
export interface PolicyOptions {
  /** The document's name in diagnostics and explanations. */
  name?: string | undefined;
  /** Default true; false: a malformed allow rule is a warning and matches nothing. */
  strict?: boolean | undefined;
  /** Every tool the host has: then a rule that names none of them is an error. A server's tool is `server/tool`. */
  tools?: readonly string[] | undefined;
  /** The working directory of the tools, absolute. */
  cwd?: string | undefined;
  /** What `~` means. */
  home?: string | undefined;
  /** The path syntax. Default "posix". */
  platform?: "posix" | "windows" | undefined;
  /** What a path really is, links followed. Synchronous; where it throws the path allows nothing. */
  realPath?: ((path: string) => string) | undefined;
  /** An id when the host approved the call beforehand. Synchronous; a throw is no approval. A server's tool is `server/tool`. */
  preapprove?: ((tool: string, input: Input) => string | undefined) | undefined;
}
/** An arguments object, or a command line. JSON text goes in a ToolCall. */
export type Input = JsonObject | string;
export interface CheckOptions extends Omit<PolicyOptions, "tools" | "strict" | "name"> {
  /** For `suggest`: the calls whose coverage each suggestion tells. */
  recent?: readonly ToolCall[] | undefined;
  /** The document's own mode may be stricter. */
  mode?: Mode | undefined;
  /** What the host declares of the tool; the document may be stricter. */
  capability?: Pick<ToolTraits, "readOnly" | "alwaysAsk" | "requiresUserInteraction"> | undefined;
  sessionAllows?: SessionAllows | undefined;
  /** The MCP server the tool comes from. */
  server?: string | undefined;
}
/** Rules, compiled and immutable. */
export interface Policy {
  /** Lower-case hex SHA-256 of the document. */
  readonly digest: string;
  readonly counts: { readonly deny: number; readonly ask: number; readonly allow: number; readonly tiers: number };
  /** What loading warned about. */
  readonly diagnostics: readonly Diagnostic[];
  /** What the rules say of a call. */
  check(tool: string, input: Input, options?: CheckOptions): RuleDecision;
  check(call: ToolCall, options?: CheckOptions): RuleDecision;
  /** The same with what was asked and what would change it. */
  explain(tool: string, input: Input, options?: CheckOptions): Explanation;
  explain(call: ToolCall, options?: CheckOptions): Explanation;
  /** What "always allow" may save, narrowest first. */
  suggest(tool: string, input: Input, options?: CheckOptions): Suggestion[];
  suggest(call: ToolCall, options?: CheckOptions): Suggestion[];
  /** What a front end can show before the host has spoken. */
  preview(tool: string, input: Input, options?: CheckOptions): Preview;
  preview(call: ToolCall, options?: CheckOptions): Preview;
}
export interface RuleDecision {
  readonly behavior: "allow" | "ask" | "deny";
  /** Which row of the chain, or the id of the hook `preapprove`. */
  readonly ruleId: string;
  /** One sentence for the person. */
  readonly reason: string;
  /** The rule that fired, as written. */
  readonly rule?: string;
}
export interface Explanation {
  readonly decision: RuleDecision;
  /** With `gate.explain`. */
  readonly evaluation?: Evaluation;
  /** What was asked, in order. */
  readonly stages: readonly {
    readonly stage: string;
    readonly matched: boolean;
    readonly rule?: string;
    readonly document?: string;
    readonly line?: number;
    readonly detail?: string;
  }[];
  readonly human: string;
  readonly model: string;
  readonly log: JsonObject;
}
export interface Preview {
  /** `depends`: on what only the host knows. */
  readonly outcome: "runs" | "asks" | "refused" | "depends";
  readonly reason: string;
}
/** Something wrong with a document, or to know about it. Lines and columns count from 1. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly document?: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}
/** What a person allowed for a session, where there is no gate. */
export interface SessionAllows {
  /** Stored once, however often it is given. `content` empty: every call of the tool. */
  allowForSession(tool: string, content: string): void;
  resetSession(): void;
  /** A copy in the order of insertion; null when there is none. */
  sessionAllows(): readonly { readonly tool: string; readonly content: string }[] | null;
}
/** One document among several. `restrict`: what a project or a cloned repository brings, which can only make the policy stricter. */
export interface PolicyLayer {
  name: string;
  document: PolicyDocument | string;
  trust?: "full" | "restrict" | undefined;
}
/** A call and what the policy is to say of it. */
export interface PolicyCase {
  name?: string;
  tool: string;
  input: Input;
  expect: "allow" | "ask" | "deny";
  options?: CheckOptions | undefined;
}
