import type { ErrorCode } from "./types.js";

const MARK = Symbol.for("ackgate.error");

/** The class of every error thrown by this package; `code` is stable, the text is for people. */
export class AckError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AckError";
    this.code = code;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** True for an error of this package, also of another copy of it. */
  static is(error: unknown): error is AckError {
    return typeof error === "object" && error !== null && MARK in error;
  }
}

/** The session store gave no answer in time: what it did is not known. */
export class StoreTimeout extends AckError {
  constructor(ms: number) {
    super("internal", `the session store gave no answer within ${ms} ms`);
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
