// What crosses the boundary, as JSON. Checked against the golden vectors.
import type { Basis, Grant, Scope, Status, Suggestion, Tier, ToolCall } from "../types.js";

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
  tierFunction?: boolean;
  sources?: readonly string[];
  grants?: GrantSetup;
  unknownTool?: boolean;
  interactive?: boolean;
  argumentsBytes?: number;
}
export interface TraceEntry {
  asked: string;
  said: string;
}
export type Refusal =
  | { kind: "humanDenied"; toolName: string; note?: string | undefined }
  | { kind: "tierDisabled"; toolName: string }
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
  | { type: "consultTier"; stepId: number; call: ToolCall }
  | { type: "consultPolicy"; stepId: number; index: number; call: ToolCall }
  | { type: "lookupGrant"; stepId: number; call: ToolCall }
  | { type: "consumeGrant"; stepId: number; grant: Grant }
  | { type: "settled"; outcome: Outcome };
export type Answer =
  | { type: "tier"; tier?: string | undefined }
  | { type: "verdict"; verdict: string; reason?: string | undefined }
  | { type: "grants"; grants: readonly unknown[] }
  | { type: "consumed"; taken: boolean }
  | { type: "failed" };
/** `state` is opaque: it goes back as it came. */
export interface Stepped {
  state: object;
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
export type DecisionWord = "approved" | "denied";
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
    }
  | {
      type: "decide";
      decision: DecisionWord;
      decidedBy: string;
      remember?: Scope | undefined;
      note?: string | undefined;
    }
  | { type: "claim"; owner: string; recovery: boolean }
  | { type: "handOver"; owner: string }
  | { type: "refuse"; owner: string; recovery: boolean; result: string }
  | { type: "finish"; owner: string; fence: number; execution: Execution; result: string }
  | { type: "report"; owner: string; result: string }
  | { type: "lose"; recovery: boolean; result: string }
  | { type: "end"; ending: Ending; owner?: string | undefined; result: string }
  | { type: "renew"; owner: string; fence: number }
  | { type: "adopt" | "release"; owner: string }
  | { type: "deliver" };
export type Command =
  | { type: "emit" }
  | { type: "execute"; fence: number }
  | { type: "terminal"; basis: Basis }
  | { type: "replayed" };
/** `record` is opaque: it is stored as it came. */
export interface Reduced {
  record?: object;
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
