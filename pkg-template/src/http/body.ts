import { AckError } from "../error.js";

/** The own fields of a JSON body: nothing inherited, nothing coerced. */
export class Fields {
  readonly #value: object;

  constructor(value: object) {
    this.#value = value;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): unknown {
    return this.has(name) ? (this.#value as Record<string, unknown>)[name] : undefined;
  }

  /** A required, non-empty string. */
  id(name: string): string {
    const value = this.get(name);
    if (typeof value === "string" && value !== "") return value;
    throw bad(`\`${name}\` must be a non-empty string`);
  }

  /** A required boolean: what is missing is never a denial. */
  flag(name: string): boolean {
    const value = this.get(name);
    if (typeof value === "boolean") return value;
    throw bad(`\`${name}\` must be true or false`);
  }

  /** An optional string. */
  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "string") return value;
    throw bad(`\`${name}\` must be a string; leave it out when there is none`);
  }

  /** An optional word of a list. */
  word<const W extends string>(name: string, words: readonly W[]): W | undefined {
    const value = this.get(name);
    const word = words.find((candidate) => candidate === value);
    if (value === undefined || word !== undefined) return word;
    throw bad(`\`${name}\` must be ${words.map((each) => `"${each}"`).join(" or ")}; leave it out when there is none`);
  }
}

/** The error of a request that cannot be understood. */
export function bad(message: string): AckError {
  return new AckError("bad_request", message);
}

/**
 * Reads a JSON object of at most `limit` bytes and stops reading as soon as it is longer. `more`: so many bytes more,
 * for an object with the field `field`.
 */
export async function readObject(
  request: Request,
  limit: number,
  more?: { bytes: number; field: string },
): Promise<object> {
  const text = await readText(request, limit + (more?.bytes ?? 0));
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad("the body must be a JSON object");
  const long = more !== undefined && !Object.hasOwn(value, more.field);
  if (long && new TextEncoder().encode(text).length > limit) throw tooLong(limit);
  return value;
}

function tooLong(limit: number): AckError {
  return bad(`the body must not be longer than ${limit} bytes`);
}

async function readText(request: Request, limit: number): Promise<string> {
  if (Number(request.headers.get("content-length")) > limit) throw tooLong(limit);
  if (request.bodyUsed) throw new Error("`identify` read the body: let it read `request.clone()`");
  if (request.body === null) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = request.body.getReader();
  let size = 0;
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw bad("the body ended too early");
    });
    if (done) return text + decode(() => decoder.decode());
    size += value.byteLength;
    if (size > limit) {
      reader.cancel().catch(() => undefined);
      throw tooLong(limit);
    }
    text += decode(() => decoder.decode(value, { stream: true }));
  }
}

function decode(read: () => string): string {
  try {
    return read();
  } catch {
    throw bad("the body must be UTF-8 text");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad("the body must be valid JSON");
  }
}
