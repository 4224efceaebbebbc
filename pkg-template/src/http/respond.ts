import { AckError, messageOf } from "../error.js";
import type { ErrorCode, Logger } from "../types.js";

const STATUS: ReadonlyMap<string, number> = new Map<ErrorCode, number>([
  ["bad_request", 400],
  ["forbidden", 403],
  ["not_found", 404],
  ["run_active", 409],
  ["conflict", 409],
  ["already_settled", 409],
  ["not_bound", 503],
]);

/** A JSON answer that no cache keeps. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** The error body of every route: `{"error": {"code", "message"}}`. */
export function refuse(
  status: number,
  code: ErrorCode,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return json(status, { error: { code, message } }, headers);
}

/** The answer to anything that was thrown; what is not ours to tell goes to the log only. */
export function failed(error: unknown, logger: Logger | undefined): Response {
  if (error instanceof Response) return error;
  if (AckError.is(error)) {
    const status = STATUS.get(error.code);
    if (status !== undefined) return refuse(status, error.code, error.message);
  }
  logger?.error("the request failed", { error: messageOf(error) });
  return refuse(500, AckError.is(error) ? error.code : "internal", "the request failed; the server's log says why");
}
