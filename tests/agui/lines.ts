// The client lines that are in use, each as npm installs it, with the core it wants.

import type { BaseEvent } from "@ag-ui/client";
import * as current from "@ag-ui/client";
import * as v54 from "agui-client-0.0.54";
import * as v59 from "agui-client-0.0.59";
import type { Observable } from "rxjs";

export type Client = typeof current.HttpAgent;
type Stage = (events: Observable<BaseEvent>) => Observable<BaseEvent>;

/** One line: its agent, and the stages through which it reads a stream, in its own order. */
export interface ClientLine {
  readonly name: string;
  readonly HttpAgent: Client;
  readonly read: typeof current.transformHttpEventStream;
  readonly stages: readonly Stage[];
  /** Says which protocol version it speaks, and so may be sent what only that version knows. */
  readonly declares: boolean;
  /** Puts a tool's result behind its call; otherwise it stands where it came. */
  readonly placesResults: boolean;
}

// Each line types `type` as an enum of its own; the wire's words are the same.
type Line = Pick<typeof current, "HttpAgent" | "transformHttpEventStream" | "transformChunks" | "verifyEvents">;

function line(name: string, client: Line, enforce: readonly Stage[] = []): ClientLine {
  return {
    name,
    HttpAgent: client.HttpAgent,
    read: client.transformHttpEventStream,
    stages: [...enforce, client.transformChunks(), client.verifyEvents()],
    declares: name === "1.0.0",
    placesResults: name !== "0.0.54",
  };
}

export const LINES: readonly ClientLine[] = [
  // Later lines check an event's form after the transport, earlier ones in it.
  line("1.0.0", current, [current.enforceEvents()]),
  line("0.0.59", v59 as unknown as Line),
  line("0.0.54", v54 as unknown as Line),
];
