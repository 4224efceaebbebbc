import type { Clock } from "../types.js";
import type { AnyEvent } from "./events.js";
import type { Source } from "./feed.js";

const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** A run's events as server-sent events. The client's leaving only detaches it. */
export function eventStream(source: Source, clock: Clock, heartbeatMs: number): Response {
  const encoder = new TextEncoder();
  let leave = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (frame: string) => {
          controller.enqueue(encoder.encode(frame));
          if ((controller.desiredSize ?? 0) > -MAX_WAITING_BYTES) return;
          leave();
          controller.error(new Error("the client does not read what it asked for"));
        };
        const stopBeating = beat(clock, heartbeatMs, () => send(":\n\n"));
        const end = () => {
          leave();
          controller.close();
        };
        const event = (each: AnyEvent) => {
          try {
            send(frameOf(each));
          } catch {
            send(
              frameOf({ type: "RUN_ERROR", message: `an event of type \`${each.type}\` cannot be written as JSON` }),
            );
            end();
          }
        };
        const detach = source.attach({ event, end });
        leave = () => {
          stopBeating();
          detach();
        };
      },
      cancel() {
        leave();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
  );
  return new Response(body, { headers: HEADERS });
}

/** Events that are all there already. */
export function eventList(events: readonly AnyEvent[]): Response {
  return new Response(events.map(frameOf).join(""), { headers: HEADERS });
}

function frameOf(event: AnyEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function beat(clock: Clock, everyMs: number, send: () => void): () => void {
  if (everyMs === 0) return () => {};
  let stop = () => {};
  const next = () => {
    stop = clock.setTimeout(() => {
      next();
      send();
    }, everyMs);
  };
  next();
  return () => stop();
}
