import type { AnyEvent } from "./events.js";
import type { Source } from "./feed.js";

/** True when a request names the protocol version it speaks; older lines of clients do not. */
export function declares(input: object): boolean {
  return (input as { protocolVersion?: unknown }).protocolVersion !== undefined;
}

/** The outcome of a run, without what an older client dies of. */
export function outcomeFor(declared: boolean, outcome: unknown): unknown {
  const { type } = (outcome ?? {}) as { type?: unknown };
  if (declared || outcome === undefined || type === "interrupt") return outcome;
  return type === "success" ? { type } : undefined;
}

/** A run's events for the client that asked for it. */
export function spokenTo(input: object, source: Source): Source {
  if (declares(input)) return source;
  const event = ({ outcome, ...each }: AnyEvent): AnyEvent => {
    const known = each.type === "RUN_FINISHED" ? outcomeFor(false, outcome) : outcome;
    return known === undefined ? each : { ...each, outcome: known };
  };
  return {
    attach: (listener) => source.attach({ event: (each) => listener.event(event(each)), end: () => listener.end() }),
  };
}
