import { randomText } from "../random.js";
import type { Context, Grant, GrantQuery, GrantSource } from "../types.js";

// A host's own required fields are nothing a source may rely on.
export const CONTEXT = {} as Context;

/** A global grant of a user that no other case uses, for the tool `delete_note`. */
export function freshGrant(fields: Partial<Grant> = {}): Grant {
  return {
    id: "c1/0",
    app: "ack",
    userId: randomText(),
    sessionId: "",
    toolName: "delete_note",
    createdBy: "u1",
    createdAt: 1_700_000_000_000,
    ...fields,
  };
}

export function queryOf(grant: Grant, fields: Partial<GrantQuery> = {}): GrantQuery {
  const { app, userId, toolName } = grant;
  return { app, userId, toolName, sessionId: "s1", arguments: '{"id":"n2"}', ...fields };
}

export async function save(source: GrantSource, ...grants: readonly Grant[]): Promise<void> {
  for (const grant of grants) await source.save(grant, CONTEXT);
}

/** What a look-up gives, as a list. */
export async function found(source: GrantSource, query: GrantQuery): Promise<readonly Grant[]> {
  return [(await source.lookup(query, CONTEXT)) ?? []].flat();
}

/** The ids of what a look-up gives, in its order. */
export async function idsFor(source: GrantSource, query: GrantQuery): Promise<string[]> {
  return (await found(source, query)).map(({ id }) => id);
}

export async function listed(source: GrantSource, filter: Partial<GrantQuery>): Promise<Grant[]> {
  const grants: Grant[] = [];
  for await (const grant of source.list?.(filter, CONTEXT) ?? []) grants.push(grant);
  return grants;
}
