import type { Call, Schema } from "./types.js";

/** So many of a schema's complaints are told to the model. */
const TOLD = 3;

interface Issue {
  readonly message?: unknown;
  readonly path?: readonly unknown[] | undefined;
}
/** What a tool's arguments have to fit. */
export interface Fits {
  readonly input: Schema<unknown> | undefined;
  readonly inputSchema: object | undefined;
  readonly validate: ((schema: object, value: unknown) => string | undefined) | undefined;
}

/** What is wrong with a call's arguments by the tool's schemas; undefined: nothing. */
export async function misfit({ arguments: text, input }: Call, fits: Fits): Promise<string | undefined> {
  if (fits.inputSchema !== undefined) {
    const detail = fits.validate?.(fits.inputSchema, input);
    if (detail !== undefined) return String(detail) || "they do not fit the tool's schema";
  }
  if (fits.input === undefined) return undefined;
  // A parse of its own: a schema may change what it is given.
  const result = await resultOf(fits.input, JSON.parse(text));
  return "issues" in result ? told(result.issues) : undefined;
}

/** What the schema makes of arguments that fit. */
export async function parsed(schema: Schema<unknown>, args: object): Promise<object> {
  const result = await resultOf(schema, args);
  if ("issues" in result) throw new Error(`the arguments do not fit the tool's schema: ${told(result.issues)}`);
  return result.value as object;
}

async function resultOf(
  schema: Schema<unknown>,
  value: unknown,
): Promise<{ value: unknown } | { issues: readonly Issue[] }> {
  const result = (await schema["~standard"].validate(value)) as { value?: unknown; issues?: readonly Issue[] };
  if (typeof result !== "object" || result === null) throw new Error("the schema gave no result");
  return result.issues ? { issues: result.issues } : { value: result.value };
}

function told(issues: readonly Issue[]): string {
  const texts = issues.slice(0, TOLD).map(({ message, path = [] }) => {
    const place = path.map((part) => String((part as { key?: unknown } | null)?.key ?? part)).join(".");
    return place === "" ? String(message) : `\`${place}\`: ${String(message)}`;
  });
  return texts.join("; ") || "they do not fit the tool's schema";
}
