// Who reads a thread's history with the real client.
import { HttpAgent, type Message, type RunAgentInput, runHttpRequest, transformHttpEventStream } from "@ag-ui/client";
import type { Handler } from "ackgate";
import { input } from "./agui-fakes.ts";

/** The client with the one method that it leaves open. */
class HistoryAgent extends HttpAgent {
  protected override connect(asked: RunAgentInput) {
    const init = this.requestInit({ ...asked, forwardedProps: { follow: true } });
    return transformHttpEventStream(runHttpRequest(() => this.fetch(`${this.url}/history`, init)));
  }
}

export interface Followed {
  readonly agent: HttpAgent;
  /** Every event that the client took, as it came. */
  readonly events: { type: string; [field: string]: unknown }[];
  readonly done: Promise<unknown>;
  types(): string[];
}

/** A client that follows a thread through a handler; `headers` say who it is. */
export function followWith(handler: Handler, over: { messages?: Message[]; threadId?: string } = {}): Followed {
  const { threadId = "t", messages = [] } = over;
  const agent = new HistoryAgent({
    url: "http://localhost/agui",
    threadId,
    initialMessages: messages,
    fetch: async (url, init) => handler(new Request(url, init)),
  });
  const events: Followed["events"] = [];
  const done = agent.connectAgent(
    { runId: "follow" },
    { onEvent: ({ event }) => void events.push(event as unknown as Followed["events"][number]) },
  );
  return { agent, events, done, types: () => events.map(({ type }) => type) };
}

/** A request for the history as a client of the older line or of the newer one sends it. */
export const asked = (line: "0.0.x" | "1.0", follow: unknown = false) => ({
  ...input({ runId: "h1", forwardedProps: { follow } }),
  ...(line === "1.0" && { protocolVersion: "1.0" }),
});
