// What crosses the boundary, as JSON. Checked against the golden vectors.
import type {
  Basis,
  Diagnostic,
  Explanation,
  Grant,
  GrantOffer,
  Mode,
  PolicyDocument,
  Preview,
  RuleDecision,
  Scope,
  Status,
  Suggestion,
  Tier,
  ToolCall,
} from "../types.js";

/** One document of a policy, and what may be believed of it. */
export interface Layer {
  name: string;
  text: string;
  restrict: boolean;
  /** False: it was an object, so lines mean nothing. */
  positions: boolean;
}
export interface LoadOptions {
  strict?: boolean | undefined;
  tools?: readonly string[] | undefined;
}
export interface Environment {
  cwd?: string | undefined;
  home?: string | undefined;
  platform?: "posix" | "windows" | undefined;
}
/** What there is to know of a policy; a refused one has only diagnostics. */
export interface Facts {
  digest: string;
  counts: { deny: number; ask: number; allow: number; tiers: number };
  hasRules: boolean;
  defaultTier: Tier | null;
  diagnostics: readonly Diagnostic[];
}
export interface Merged {
  document: PolicyDocument;
  diagnostics: readonly Diagnostic[];
}
export interface Declared {
  readOnly?: boolean | undefined;
  alwaysAsk?: boolean | undefined;
  requiresUserInteraction?: boolean | undefined;
}
/** What the host answered for the rules: each path's real one, and the hook's id. */
export interface Heard {
  real?: Readonly<Record<string, string | null>> | undefined;
  preapproved?: string | undefined;
}
export interface Question extends Heard {
  toolName: string;
  server?: string | undefined;
  arguments?: string | undefined;
  command?: string | undefined;
  mode?: Mode | undefined;
  declared?: Declared | undefined;
  sessionAllows?: readonly { tool: string; content: string }[] | undefined;
  realPath?: boolean | undefined;
  preapprove?: boolean | undefined;
  want: "decision" | "explanation" | "suggestions" | "preview";
  recent?: readonly ToolCall[] | undefined;
}
export interface Offered {
  content: string;
  text: string;
  /** Positions among the recent calls. */
  covered: readonly number[];
}
export type Reply =
  | { type: "realPath"; paths: readonly string[] }
  | { type: "preapprove" }
  | { type: "decision"; decision: RuleDecision }
  | { type: "explanation"; explanation: Explanation }
  | { type: "suggestions"; suggestions: readonly Offered[] }
  | { type: "preview"; preview: Preview };

export interface GrantSetup {
  app: string;
  userId: string;
  global: boolean;
  consume: boolean;
  nowMs: number;
}
export interface Setup {
  tiers?: Readonly<Record<string, Tier>>;
  defaultTier: Tier;
  validate?: boolean;
  tierFunction?: boolean;
  sources?: readonly string[];
  grants?: GrantSetup;
  unknownTool?: boolean;
  interactive?: boolean;
  argumentsBytes?: number;
  mode?: Mode | undefined;
  declared?: Declared | undefined;
  preapprove?: boolean;
  realPath?: boolean;
}
export interface TraceEntry {
  asked: string;
  said: string;
}
export type Refusal =
  | { kind: "humanDenied"; toolName: string; note?: string | undefined }
  | { kind: "tierDisabled"; toolName: string; rule?: string; alternative?: string }
  | { kind: "canceled" | "expired" | "superseded" | "noHuman" | "persistFailed" | "engineFailed" }
  | { kind: "invalidArguments"; detail: string }
  | { kind: "duplicate"; toolName: string }
  | { kind: "unavailable"; toolName: string; detail: string };
export interface Text {
  text: string;
  basis: Basis | null;
}
export type Outcome =
  | { disposition: "allow"; basis: Basis; source: string; arguments: string; digest: string; grantId?: string }
  | {
      disposition: "confirm";
      forced: boolean;
      reason: string;
      suggestions: readonly Suggestion[];
      arguments: string;
      digest: string;
    }
  | { disposition: "deny"; basis: Basis; source: string; refusal: Refusal; reason?: string };
export type Step =
  | { type: "validate"; stepId: number; call: ToolCall }
  | { type: "consultTier"; stepId: number; call: ToolCall }
  | { type: "realPath"; stepId: number; paths: readonly string[] }
  | { type: "preapprove"; stepId: number; call: ToolCall }
  | { type: "consultPolicy"; stepId: number; index: number; call: ToolCall }
  | { type: "lookupGrant"; stepId: number; call: ToolCall }
  | { type: "consumeGrant"; stepId: number; grant: Grant }
  | { type: "settled"; outcome: Outcome };
export type Answer =
  | { type: "validated"; detail?: string | undefined }
  | { type: "tier"; tier?: string | undefined }
  | { type: "realPaths"; paths: readonly (string | null)[] }
  | { type: "preapproved"; id?: string | undefined }
  | { type: "verdict"; verdict: string; reason?: string | undefined }
  | { type: "grants"; grants: readonly unknown[] }
  | { type: "consumed"; taken: boolean }
  | { type: "failed" };
/** `state` goes back as it came; `digest` is the call's, empty where its arguments can't be read. */
export interface Stepped {
  state: { readonly digest: string };
  trace: readonly TraceEntry[];
  step: Step;
}

export interface Moment {
  nowMs: number;
  ageMs: number;
  leaseMs: number;
}
export type Stage = "pending" | "decided" | "executing" | "settled";
export type Execution = "none" | "ran" | "failed" | "unknown" | "caller";
export type Ending = "canceled" | "expired" | "superseded";
export type DecisionWord = "approved" | "denied" | "abandoned" | "granted";
export type Event =
  | {
      type: "request";
      confirmationId: string;
      call: ToolCall;
      digest: string;
      userId: string;
      forced: boolean;
      reason: string;
      suggestions: readonly Suggestion[];
      expiresAt?: number | undefined;
      askedBy?: string | undefined;
      runId?: string | undefined;
      parents?: readonly string[] | undefined;
      refusedBefore?: number;
      owner?: string | undefined;
      idempotent?: boolean;
      editable?: boolean;
    }
  | {
      type: "decide";
      decision: DecisionWord;
      decidedBy: string;
      remember?: Scope | undefined;
      note?: string | undefined;
      expectedDigest?: string | undefined;
      edited?: { arguments: string; digest: string } | undefined;
      grant?: GrantOffer | undefined;
    }
  | { type: "claim"; owner: string; recovery: boolean }
  | { type: "handOver"; owner: string }
  | { type: "refuse"; owner: string; recovery: boolean; result: string }
  | { type: "finish"; owner: string; fence: number; execution: Execution; result: string }
  | { type: "report"; owner: string; result: string }
  | { type: "lose"; recovery: boolean; result: string }
  | { type: "end"; ending: Ending; owner?: string | undefined; result: string }
  | { type: "renew"; owner: string; fence: number }
  | { type: "adopt" | "release" | "park"; owner: string }
  | { type: "pass" | "deliver" | "shrink" };
export type Command =
  | { type: "emit" }
  | { type: "execute"; fence: number }
  | { type: "terminal"; basis: Basis }
  | { type: "replayed" };
/** `record` is opaque: it is stored as it came. */
export interface Reduced {
  record?: object;
  /** Stored instead. */
  tombstone?: object;
  commands: readonly Command[];
}
export interface View {
  payload: import("../types.js").Payload & { status: Status };
  stage: Stage;
  decision?: DecisionWord;
  note?: string;
  execution: Execution;
  owner?: string;
  live: boolean;
  lapsesInMs?: number;
  parked: boolean;
  fence: number;
  arguments: string;
  result?: string;
  recovered: boolean;
  delivered: boolean;
  overdue?: Ending;
  grant?: Grant;
  /** The digest of the call with the arguments that a person edited. */
  effectiveDigest?: string;
  /** More of it than its tombstone is stored, and nobody needs that any more. */
  expendable: boolean;
  /** Nobody that counts as alive runs the tool, and it may be run again. */
  runsAgain: boolean;
}
export type Duplicate = "join" | "adopt" | "pickUp" | "replay" | "lost" | "refuse" | "fresh";
export interface Repeat {
  toolName: string;
  digest: string;
  runId?: string | undefined;
}
export interface Survey {
  open: number;
  refusedBefore: number;
  found?: { confirmationId: string; duplicate: Duplicate };
  taken: boolean;
}
export interface Stored {
  confirmationId: string;
  record: string;
  ageMs: number;
}
export interface Resumption {
  confirmationIds: string[];
  runId: string;
  owner?: string;
  fence: number;
  delivered: boolean;
}
export type ResumptionEvent =
  | { type: "start"; owner: string; confirmationIds: readonly string[]; runId: string }
  | { type: "deliver" | "renew" | "release"; owner: string };
