import { type Schema, Validator } from "@cfworker/json-schema";

/** So many of a schema's complaints are told. */
const TOLD = 3;

/**
 * The option `validate` of a gate, by @cfworker/json-schema: JSON Schema 2020-12, without code made at run time. A schema
 * that can't be used refuses every call.
 */
export function validator(): (schema: object, value: unknown) => string | undefined {
  const made = new WeakMap<object, Validator>();
  return (schema, value) => {
    const known = made.get(schema) ?? new Validator(schema as Schema, "2020-12", false);
    made.set(schema, known);
    const { valid, errors } = known.validate(value);
    if (valid) return undefined;
    // The innermost complaints come last and say the most.
    const texts = errors.slice(-TOLD).map(({ instanceLocation, error }) => `\`${instanceLocation}\`: ${error}`);
    return texts.join("; ") || "they do not fit the tool's schema";
  };
}
