import { messageOf } from "./error.js";
import type { House } from "./house.js";
import type { AuditRecord, Basis, Context, ToolCall } from "./types.js";
import type { TraceEntry, View } from "./wasm/types.js";

type Execution = NonNullable<AuditRecord["execution"]>;
/** How a call ended without a person's decision. */
export interface AutomaticEnd {
  readonly call: ToolCall;
  /** Empty where the arguments can't be read. */
  readonly digest: string;
  readonly allowed: boolean;
  readonly basis: Basis;
  readonly source: string;
  readonly rule?: string | undefined;
}

/** The one event of a call that ended by itself, and its audit record. */
export function endedAlone(house: House, end: AutomaticEnd, context: Context, execution: Execution): void {
  house.terminal(end, context);
  auditAlone(house, end, execution);
}

export function auditAlone(house: House, end: AutomaticEnd, execution: Execution): void {
  const { call, digest, allowed, basis, source, rule } = end;
  report(house, {
    ...callOf(call),
    digest,
    disposition: allowed ? "allow" : "deny",
    basis,
    source,
    ...(rule !== undefined && { rule }),
    execution,
  });
}

/** The audit record of a confirmation that was settled, by whoever's write did it. */
export function auditSettled(
  house: House,
  { payload, decision, effectiveDigest }: View,
  execution: Execution,
  by?: { basis: Basis; source: string; rule?: string | undefined },
): void {
  const { status, decidedBy, argumentsDigest } = payload;
  const decided = status === "approved" || status === "denied" || status === "pending";
  report(house, {
    ...callOf(payload),
    digest: argumentsDigest,
    disposition: status === "approved" ? "allow" : "deny",
    basis: by?.basis ?? (decision === "granted" ? "grant" : decided ? "human" : status),
    source: by?.source ?? "",
    ...(by?.rule !== undefined && { rule: by.rule }),
    ...(decision !== undefined && decidedBy !== undefined && { decidedBy }),
    execution,
    ...(effectiveDigest !== undefined && { effectiveDigest }),
  });
}

/** A tool result in a run whose call never passed the gate. */
export function auditUngated(house: House, call: Omit<ToolCall, "arguments">): void {
  report(house, { ...callOf(call), digest: "", disposition: "allow", basis: "ungated", source: "" });
}

/** The rule that spoke, where the rules did. */
export function ruleOf(source: string, trace: readonly TraceEntry[]): string | undefined {
  if (source !== "rules") return undefined;
  return trace.find(({ asked }) => asked === "rules")?.said.split(" by ")[1];
}

function callOf({ sessionId, toolCallId, toolName, server }: Omit<ToolCall, "arguments">): Pick<AuditRecord, "call"> {
  return { call: { sessionId, toolCallId, toolName, ...(server !== undefined && { server }) } };
}

/** What the observer does wrong changes nothing. */
function report({ settings }: House, record: Omit<AuditRecord, "at">): void {
  const failed = (error: unknown): void =>
    settings.logger.error("`onAudit` failed", { tool: record.call.toolName, error: messageOf(error) });
  try {
    const result: unknown = settings.onAudit?.({ ...record, at: Math.floor(settings.clock.now()) });
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
