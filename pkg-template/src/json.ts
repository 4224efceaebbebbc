/** True for what JSON writes in braces. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Freezes a value of plain objects and arrays, all of it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}

/** False with an unpaired surrogate, which would become another character on its way into the engine. */
export function wellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/**
 * Writes a value as JSON, reading each part once. `refused` names the first part that JSON does not carry; with
 * `optional` a field that is undefined is left out instead.
 */
export function writeJson(
  value: unknown,
  name: string,
  optional = false,
): { text: string; refused: string | undefined } {
  const refused: string[] = [];
  const open = new Set<unknown>();
  const write = (part: unknown, path: string): string => {
    const no = (what: string): string => {
      refused.push(`\`${path || name}\` is ${what}`);
      return "null";
    };
    if (part === null || typeof part === "string" || typeof part === "boolean") return JSON.stringify(part);
    if (typeof part === "number") return Number.isFinite(part) ? JSON.stringify(part) : no("not a finite number");
    if (typeof part !== "object") return no(`of type ${typeof part}`);
    if (open.has(part)) return no("part of itself");
    if (open.size > 200) return no("nested too deep");
    const proto: unknown = Object.getPrototypeOf(part);
    open.add(part);
    try {
      if (Array.isArray(part))
        return `[${Array.from(part, (item, index) => write(item, `${path}/${index}`)).join(",")}]`;
      if (proto !== null && Object.getPrototypeOf(proto) !== null) return no("not a plain object");
      const fields = Object.entries(part).filter(([, item]) => !optional || item !== undefined);
      const written = fields.map(([key, item]) => `${JSON.stringify(key)}:${write(item, `${path}/${key}`)}`);
      return `{${written.join(",")}}`;
    } finally {
      open.delete(part);
    }
  };
  const text = write(value, "");
  return { text, refused: refused[0] };
}
