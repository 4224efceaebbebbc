import { keyOf } from "../memory.js";
import type { Gate, SessionKey } from "../types.js";

const active = new WeakMap<Gate, Map<string, number>>();

/** Notes that a run of the session has begun; gives what notes its end. */
export function enter(gate: Gate, session: SessionKey): () => void {
  const runs = active.get(gate) ?? new Map<string, number>();
  active.set(gate, runs);
  const name = keyOf(session);
  runs.set(name, (runs.get(name) ?? 0) + 1);
  return () => {
    const left = (runs.get(name) ?? 1) - 1;
    if (left > 0) runs.set(name, left);
    else runs.delete(name);
  };
}

/** True while a run of the session is under way in this process. */
export function isActive(gate: Gate, session: SessionKey): boolean {
  return active.get(gate)?.has(keyOf(session)) === true;
}
