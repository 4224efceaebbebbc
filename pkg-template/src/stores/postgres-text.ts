import type { SessionKey } from "../types.js";
import { encoded } from "./text.js";

/** Three of these and an id fit into one entry of an index. */
const MAX_PART_BYTES = 640;

/** The parts of a session's key, in the order of the table's columns. */
export function keyParts(session: SessionKey): [app: string, user: string, session: string] {
  const part = (name: keyof SessionKey): string => indexed(`a session's \`${name}\``, session[name]);
  return [part("app"), part("user"), part("session")];
}

/** A text as a column of an index can hold it. */
export function indexed(what: string, text: string): string {
  const held = encoded(text);
  if (new TextEncoder().encode(held).length > MAX_PART_BYTES)
    throw new RangeError(`${what} has more than ${MAX_PART_BYTES} bytes`);
  return held;
}
