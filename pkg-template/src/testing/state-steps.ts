import { randomText } from "../random.js";
import type { SessionKey, SessionState } from "../types.js";
import { check } from "./check.js";

/** A session that no other case uses. */
export function freshSession(): SessionKey {
  return { app: "ack", user: "u1", session: randomText() };
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
  check("version" in outcome, `the write of ${JSON.stringify(id)} was a conflict`);
  check(typeof outcome.version === "string", "a version is not a text");
  return outcome.version;
}

/** The record and version of an id; undefined twice when there is none. */
export async function stateOf(state: SessionState, session: SessionKey, id: string): Promise<unknown[]> {
  const found = await state.read(session, id);
  return [found?.record, found?.version];
}

/** The ids of the session's confirmations. */
export async function idsOf(state: SessionState, session: SessionKey, after?: string): Promise<string[]> {
  return (await state.list(session, "confirmation", after)).map(({ id }) => id);
}

/** The age of `c:1`. */
export async function ageOf(state: SessionState, session: SessionKey): Promise<number> {
  const found = await state.read(session, "c:1");
  check(found, "`c:1` is not there");
  checkAge(found.ageMs);
  return found.ageMs;
}

export function checkAge(ageMs: number | undefined): void {
  check(Number.isSafeInteger(ageMs) && Number(ageMs) >= 0, `an age of ${ageMs} is not a whole number of ms`);
}
