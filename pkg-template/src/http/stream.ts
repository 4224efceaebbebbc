import type { Clock } from "../types.js";

/** A comment that keeps connections open which somebody in between would close. */
const HEARTBEAT_MS = 15_000;

/** Values as server-sent events, each as its JSON. `values` is stopped when the client leaves. */
export function eventsOf(values: (stop: AbortSignal) => AsyncIterable<unknown>, clock: Clock): Response {
  const encoder = new TextEncoder();
  const stop = new AbortController();
  let stopBeating = (): void => {};
  const end = (): void => {
    stop.abort();
    stopBeating();
  };
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => {
        if (!stop.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      const beat = (): void => {
        stopBeating = clock.setTimeout(() => {
          send(":\n\n");
          beat();
        }, HEARTBEAT_MS);
      };
      beat();
      const pump = async (): Promise<void> => {
        for await (const value of values(stop.signal)) send(`data: ${JSON.stringify(value)}\n\n`);
        if (!stop.signal.aborted) controller.close();
      };
      pump()
        .catch((error: unknown) => {
          if (!stop.signal.aborted) controller.error(error);
        })
        .finally(end);
    },
    cancel: end,
  });
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  };
  return new Response(body, { headers });
}
