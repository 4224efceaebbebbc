import type { Grant, GrantQuery } from "./types.js";

/** Of saved grants those that may answer, the session's before global ones. Which of them does is the core's to say. */
export function candidates(grants: readonly Grant[], query: GrantQuery): Grant[] {
  const of = (sessionId: string): Grant[] =>
    grants.filter(
      (grant) =>
        grant.app === query.app &&
        grant.userId === query.userId &&
        grant.toolName === query.toolName &&
        grant.sessionId === sessionId,
    );
  const found = query.sessionId === "" ? of("") : [...of(query.sessionId), ...of("")];
  return found.map((grant) => ({ ...grant }));
}

/** Whether a grant has what a filter asks for. Its `arguments` are not looked at: no grant has any. */
export function passes(grant: Grant, filter: Partial<GrantQuery>): boolean {
  const names = ["app", "userId", "sessionId", "toolName", "server"] as const;
  return names.every((name) => filter[name] === undefined || grant[name] === filter[name]);
}
