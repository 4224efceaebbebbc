import type { AuditRecord, PermissionEvent } from "../types.js";

export interface Recorder {
  readonly onPermission: (event: PermissionEvent) => void;
  readonly onAudit: (record: AuditRecord) => void;
  readonly events: readonly PermissionEvent[];
  readonly audit: readonly AuditRecord[];
}

/** Keeps what a gate tells: give it `onPermission` and `onAudit`. */
export function recorder(): Recorder {
  const events: PermissionEvent[] = [];
  const audit: AuditRecord[] = [];
  return {
    onPermission: (event) => void events.push(event),
    onAudit: (record) => void audit.push(record),
    events,
    audit,
  };
}
