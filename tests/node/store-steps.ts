// Small steps of tests of stores.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { SessionKey, SessionState } from "ackgate";

/** A session that no other test uses. */
export function freshSession(): SessionKey {
  return { app: "ack", user: "u1", session: randomUUID() };
}

/** Writes and gives the version; a conflict is a failure. */
export async function written(
  state: SessionState,
  session: SessionKey,
  id: string,
  record: string | null,
  ifVersion?: string,
): Promise<string> {
  const outcome = await state.write(session, id, record, ifVersion);
  assert.ok("version" in outcome, `the write of ${JSON.stringify(id)} was a conflict`);
  return outcome.version;
}

/** Waits for a condition; the test's own time limit is the guard. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
