import { AckError } from "./error.js";
import { isObject } from "./json.js";
import type { Decision, GrantOffer } from "./types.js";

export const FIELDS = [
  "sessionId",
  "confirmationId",
  "approved",
  "remember",
  "grant",
  "editedArguments",
  "expectedDigest",
  "note",
  "decidedBy",
] as const satisfies (keyof Decision)[];
const TEXTS = ["sessionId", "confirmationId", "expectedDigest", "note", "decidedBy"] as const;
const REQUIRED: readonly string[] = ["sessionId", "confirmationId"];
const OFFER = ["content", "argumentsDigest", "expiresAt", "usesLeft"] as const satisfies (keyof GrantOffer)[];

/** Throws `bad_request` for what is no decision; what this version does not know is refused, never passed over. */
export function checkDecision(decision: Decision, requireDigest: boolean): void {
  known("a decision", decision, FIELDS);
  const { approved, remember, grant, editedArguments, expectedDigest } = decision;
  if (typeof approved !== "boolean") throw bad("`approved` must be true or false");
  for (const name of TEXTS) {
    const value = decision[name];
    if (typeof value !== "string" && (value !== undefined || REQUIRED.includes(name)))
      throw bad(`\`${name}\` must be a text`);
  }
  if (remember !== undefined && remember !== "session" && remember !== "global") {
    throw bad(`\`remember\` is \`${String(remember)}\`, it must be \`session\` or \`global\``);
  }
  checkDigest(approved, expectedDigest, requireDigest);
  if (grant !== undefined) checkOffer(grant);
  if (editedArguments !== undefined && typeof editedArguments !== "string" && !isObject(editedArguments)) {
    throw bad("`editedArguments` must be an object, or its JSON text");
  }
}

/** Throws `bad_request` for an approval that does not name what the person was shown, where it must. */
export function checkDigest(approved: boolean, expectedDigest: string | undefined, required: boolean): void {
  if (!approved || !required || expectedDigest !== undefined) return;
  throw bad("`expectedDigest` is missing: send the `argumentsDigest` of what the person was shown");
}

function checkOffer(grant: unknown): void {
  if (!isObject(grant)) throw bad("`grant` must be one of the confirmation's suggestions");
  known("a `grant`", grant, OFFER);
  const { content, argumentsDigest, expiresAt, usesLeft } = grant as Record<keyof GrantOffer, unknown>;
  for (const [name, value] of Object.entries({ content, argumentsDigest })) {
    if (value !== undefined && typeof value !== "string") throw bad(`\`grant.${name}\` must be a text`);
  }
  for (const [name, value] of Object.entries({ expiresAt, usesLeft })) {
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) continue;
    throw bad(`\`grant.${name}\` must be a whole number over 0`);
  }
}

/** Throws `bad_request` for a field that is none of `names`. */
export function known(what: string, value: object, names: readonly string[]): void {
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined || names.includes(name)) continue;
    throw bad(`${what} has no \`${name}\`: it has ${names.map((each) => `\`${each}\``).join(", ")}`);
  }
}

function bad(message: string): AckError {
  return new AckError("bad_request", message);
}
