import type { AbstractAgent } from "@ag-ui/client";

const OF_A_RUN: ReadonlySet<PropertyKey> = new Set(["activeRunDetach$", "activeRunCompletionPromise"]);

/** A clone that also has the fields which the base class does not know and its `clone` leaves out. */
export function copyOf(agent: AbstractAgent): AbstractAgent {
  const copy = agent.clone() as AbstractAgent;
  for (const key of Reflect.ownKeys(agent)) {
    const field = Object.getOwnPropertyDescriptor(agent, key);
    if (field !== undefined && !OF_A_RUN.has(key) && !Object.hasOwn(copy, key)) Object.defineProperty(copy, key, field);
  }
  return copy;
}

/** True when the agent's class says how it is cloned. A bare class may hold `#private` fields, which no copy can have. */
export function isCloneable(agent: AbstractAgent): boolean {
  let root: object = agent;
  for (let next = root; next !== Object.prototype && next !== null; next = Object.getPrototypeOf(next)) root = next;
  return agent.clone !== (root as AbstractAgent).clone;
}
