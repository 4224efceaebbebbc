import { keyOf } from "../memory.js";
import type { SessionKey } from "../types.js";

/** Begins what a store can't hold as it is. The least character that all can hold, so that the order stays the same. */
const ESCAPE = "\u0001";

/** A text as every store can hold it, injectively: NUL and unpaired surrogates are escaped. */
export function encoded(text: string): string {
  return text
    .replaceAll(ESCAPE, `${ESCAPE}1`)
    .replaceAll("\0", `${ESCAPE}0`)
    .replace(/\p{Surrogate}/gu, (unit) => ESCAPE + unit.charCodeAt(0).toString(16));
}

/** The text again. */
export function decoded(text: string): string {
  const [head = "", ...escapes] = text.split(ESCAPE);
  return escapes.reduce((done, part) => {
    if (part.startsWith("0")) return `${done}\0${part.slice(1)}`;
    if (part.startsWith("1")) return done + ESCAPE + part.slice(1);
    return done + String.fromCharCode(Number.parseInt(part.slice(0, 4), 16)) + part.slice(4);
  }, head);
}

/** What subscribers are told: which session, as a digest so that it always fits and names nobody, and which id. */
export async function wakeUp(session: SessionKey, id: string): Promise<string> {
  return JSON.stringify([await digestOf(session), id]);
}

/** The session's part of what subscribers are told. */
export async function digestOf(session: SessionKey): Promise<string> {
  const bytes = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(keyOf(session)));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
