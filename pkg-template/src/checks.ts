import { AckError } from "./error.js";
import { nearest } from "./names.js";
import type { Mode, Tier, ToolTraits } from "./types.js";

export const TIERS: readonly Tier[] = ["allow", "confirm", "deny"];
/** From lax to strict. */
export const MODES: readonly Mode[] = ["yolo", "default", "read_only"];
const FLAGS = ["readOnly", "alwaysAsk", "requiresUserInteraction", "idempotent"] as const;
export const TRAITS: readonly (keyof ToolTraits)[] = [...FLAGS, "shell", "subjects"];
const SHELLS = ["powershell", "cmd"];
const SUBJECTS = ["command", "url", "path", "text"];

export function bad(message: string): AckError {
  return new AckError("bad_options", message);
}

/** Throws `bad_options` with the nearest word, unless the value is one of them or absent. */
export function checkWord(where: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || (words as readonly unknown[]).includes(value)) return;
  const near = typeof value === "string" ? nearest(value, words) : undefined;
  const list = words.map((word) => `\`${word}\``).join(", ");
  throw bad(
    `\`${where}\` is \`${String(value)}\`, it must be one of ${list}${near ? `; did you mean \`${near}\`?` : ""}`,
  );
}

export function checkType(what: string, value: unknown, type: "string" | "boolean" | "function"): void {
  if (value !== undefined && typeof value !== type) throw bad(`${what} must be a ${type}`);
}

export function checkMethods(name: string, value: unknown, methods: readonly string[]): void {
  if (value === undefined) return;
  for (const method of methods) {
    if (typeof (value as Record<string, unknown> | null)?.[method] !== "function")
      throw bad(`\`${name}\` must have a \`${method}\` function`);
  }
}

/** Throws `bad_options` for a tool's trait that is not what it must be. */
export function checkTraits(tool: string, traits: ToolTraits): void {
  for (const name of FLAGS) checkType(`\`${name}\` of the tool \`${tool}\``, traits[name], "boolean");
  if (typeof traits.shell !== "boolean") checkWord(`${tool}.shell`, traits.shell, SHELLS);
  const { subjects } = traits;
  if (subjects === undefined) return;
  if (typeof subjects !== "object" || subjects === null)
    throw bad(`\`subjects\` of the tool \`${tool}\` must be an object`);
  for (const [name, kind] of Object.entries(subjects)) checkWord(`${tool}.subjects.${name}`, kind, SUBJECTS);
}

/** Throws `bad_options` for what is no Standard Schema. */
export function checkSchema(tool: string, input: unknown): void {
  const standard = (input as { "~standard"?: { validate?: unknown } } | undefined)?.["~standard"];
  if (input === undefined || typeof standard?.validate === "function") return;
  throw bad(`\`input\` of the tool \`${tool}\` must be a Standard Schema, such as zod's`);
}

/** The stricter of two modes; undefined is none. */
export function stricterMode(one: Mode | undefined, other: Mode | undefined): Mode | undefined {
  return stricter(MODES, one, other);
}

/** The stricter of two tiers; undefined is none. */
export function stricterTier(one: Tier | undefined, other: Tier | undefined): Tier | undefined {
  return stricter(TIERS, one, other);
}

function stricter<T>(order: readonly T[], one: T | undefined, other: T | undefined): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
