// Every stream a test's server sends is also read as the client line under test reads it, and must be free of faults.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import type { BaseEvent } from "@ag-ui/client";
import type { Handler } from "ackgate";
import { type Observable, Subject } from "rxjs";
import type { ClientLine } from "./lines.ts";

const TERMINAL = new Set(["RUN_FINISHED", "RUN_ERROR"]);
const counts = new Map<string, { line: string; streams: number; events: number }>();
let warned: ((text: string) => void) | undefined;

// A client says with a warning what it strips or drops.
const warn = console.warn;
console.warn = (...args: unknown[]) => {
  if (warned === undefined || !String(args[0]).startsWith("[ag-ui]")) return warn(...args);
  warned(String(args[0]));
};

process.on("exit", () => {
  const file = process.env.ACKGATE_TEST_STREAMS;
  for (const count of file === undefined ? [] : counts.values())
    appendFileSync(file as string, `${JSON.stringify(count)}\n`);
});

/** What one client line finds wrong in the streams of one server. */
export class Verifier {
  readonly faults: string[] = [];
  readonly #line: ClientLine;

  constructor(line: ClientLine) {
    this.#line = line;
  }

  /** The same handler; its event streams are verified while they pass. */
  over(handler: Handler): Handler {
    const watched = async (request: Request) => {
      const response = await handler(request);
      if (!response.headers.get("content-type")?.startsWith("text/event-stream") || response.body === null)
        return response;
      return new Response(response.body.pipeThrough(this.#tap(response, new URL(request.url).pathname)), response);
    };
    return Object.assign(watched, { matches: (target: Request | string) => handler.matches(target) });
  }

  assertClean(): void {
    assert.deepEqual(this.faults, []);
  }

  #tap(response: Response, path: string): TransformStream<Uint8Array, Uint8Array> {
    const http = new Subject<object>();
    const count = counts.get(this.#line.name) ?? { line: this.#line.name, streams: 0, events: 0 };
    counts.set(this.#line.name, count);
    let last = "";
    let failed = false;
    const fault = (message: string) => {
      failed = true;
      this.faults.push(`${path} after \`${last}\`: ${message}`);
    };
    this.#read(http).subscribe({
      next({ type }) {
        count.events += 1;
        last = type;
      },
      error: (error) => fault(error instanceof Error ? error.message : String(error)),
      complete() {
        if (!failed) count.streams += 1;
        if (!TERMINAL.has(last)) fault("the stream ends without `RUN_FINISHED` or `RUN_ERROR`");
      },
    });
    const feed = (step: () => void) => {
      warned = fault;
      step();
      warned = undefined;
    };
    feed(() => http.next({ type: "headers", status: response.status, headers: response.headers }));
    return new TransformStream({
      transform(data, controller) {
        if (!failed) feed(() => http.next({ type: "data", data }));
        controller.enqueue(data);
      },
      flush: () => feed(() => http.complete()),
    });
  }

  #read(http: Subject<object>): Observable<BaseEvent> {
    const { read, stages } = this.#line;
    return stages.reduce((events, stage) => stage(events), read(http as unknown as Parameters<typeof read>[0]));
  }
}
