/** A tool's baseline. `allow` runs, `confirm` asks a person, `deny` never runs. */
export type Tier = "allow" | "confirm" | "deny";
/** What one policy source says: no opinion, endorse, force a person, absolute no. */
export type Verdict = "abstain" | "allow" | "confirm" | "deny";
/** How much runs without a question: `yolo` skips asking, `read_only` refuses what changes something. */
export type Mode = "default" | "yolo" | "read_only";
/** How far a grant reaches. */
export type Scope = "session" | "global";
/** Where a confirmation stands. */
export type Status = "pending" | "approved" | "denied" | "canceled" | "expired" | "superseded";
/** Why a call ended without a person's decision. */
export type Basis =
  | "tier"
  | "verdict"
  | "endorsement"
  | "grant"
  | "duplicate"
  | "canceled"
  | "persist-failed"
  | "expired"
  | "superseded"
  | "no-human"
  | "invalid-arguments"
  | "engine-failed";
/** The stable codes of `AckError`. */
export type ErrorCode =
  | "not_found"
  | "already_settled"
  | "not_bound"
  | "run_active"
  | "bad_request"
  | "forbidden"
  | "conflict"
  | "state_corrupt"
  | "parked"
  | "taken_over"
  | "closed"
  | "bad_policy"
  | "bad_options"
  | "no_session"
  | "not_loaded"
  | "internal";
export type JsonObject = { readonly [key: string]: unknown };

/**
 * Who is asking. Yours to extend, once: `declare module "ackgate" { interface Context { role: "admin" | "member" } }`;
 * required fields are then required everywhere a context is given. It comes from the host only, never from a body.
 */
export interface Context {
  /** The person. Grants, `decidedBy` and the session's owner use it. */
  user?: string | undefined;
}
/** Makes `context` optional while nothing in Context is required. */
// biome-ignore lint/complexity/noBannedTypes: only the empty type asks whether nothing is required
export type Given = {} extends Context ? { context?: Context | undefined } : { context: Context };
