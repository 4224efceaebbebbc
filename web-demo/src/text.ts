/** What a reader can't see or what turns the reading direction: control, zero-width and bidi characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON to read, whole, with nothing in it that hides. */
export function shown(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return lines
    .map((line) => line.replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16) ?? ""}}`))
    .join("\n");
}

export const pretty = (json: string): string => {
  const value = parsed(json);
  return value === undefined ? json : shown(value);
};
