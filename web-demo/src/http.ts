/** An answer that is no success; an unreachable server is fetch's own TypeError. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const get = <T>(path: string): Promise<T> => ask(path, {});

export const post = <T>(path: string, body: object): Promise<T> =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  if (response.ok) return response.json();
  throw new HttpError(response.status, messageIn(await response.json().catch(() => undefined)));
}

/** The text of the error body that every route of the gate has. */
export function messageIn(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: string } };
  return error?.message ?? "the request failed";
}
