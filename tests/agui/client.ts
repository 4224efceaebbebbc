// A front end of one client line: the real HttpAgent, and what its person saw.
import type { BaseEvent, HttpAgent, Message } from "@ag-ui/client";
import type { Payload } from "ackgate";
import type { Answer } from "./cases.ts";
import { type Host, THREAD } from "./host.ts";

export type Event = { type: string; [field: string]: unknown };
export type ResumeEntry = NonNullable<RunParameters["resume"]>[number];
type RunParameters = NonNullable<Parameters<HttpAgent["runAgent"]>[0]>;

export interface Front {
  readonly agent: HttpAgent;
  /** Every event, in the order they came. */
  readonly events: Event[];
  /** The cards' changes, in the order they came. */
  readonly cards: Payload[];
  /** Event types in short; a card's with its status. */
  readonly order: string[];
  readonly heartbeats: () => number;
  /** Which cards were settled, and how; exactly one such event follows each card. */
  readonly settled: () => [id: string, status: string][];
  run(parameters?: RunParameters, onCard?: (card: Payload) => unknown): Promise<void>;
}

export function front(host: Host, path = "/agui"): Front {
  let heartbeats = 0;
  // What the agent itself passes over in silence.
  const listening: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) return response;
    const text = new TextDecoder();
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        heartbeats += text.decode(chunk, { stream: true }).match(/^:$/gm)?.length ?? 0;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(count), response);
  };
  const agent = new host.line.HttpAgent({ url: host.url + path, threadId: THREAD, fetch: listening });
  const events: Event[] = [];
  const cards: Payload[] = [];
  const order: string[] = [];
  return {
    agent,
    events,
    cards,
    order,
    heartbeats: () => heartbeats,
    settled: () =>
      cards.filter(({ status }) => status !== "pending").map(({ confirmationId, status }) => [confirmationId, status]),
    async run(parameters = {}, onCard = () => {}) {
      await agent.runAgent(parameters, {
        onEvent({ event }: { event: BaseEvent }) {
          const seen = event as unknown as Event;
          events.push(seen);
          if (seen.type !== "CUSTOM") return void order.push(seen.type);
          const card = seen.value as Payload;
          order.push(`${seen.type} ${card.status}`);
          cards.push(card);
          // Not awaited: a subscriber that waits for its person stops the stream.
          if (card.status === "pending") void onCard(card);
        },
      });
    },
  };
}

/** A front end whose person has just said something. */
export function asking(host: Host): Front {
  const each = front(host);
  each.agent.addMessage({ id: "u1", role: "user", content: "tidy up" });
  return each;
}

/** What a front end that has just been loaded reads of the thread. */
export async function reload(host: Host): Promise<Front> {
  const each = front(host, "/agui/history");
  await each.run();
  return each;
}

/** What was said in the thread, without the cards that a reload shows beside it. */
export function said({ agent }: Front): Message[] {
  return agent.messages.filter(({ role }) => role !== "activity");
}

/** The cards that a reload shows, with their status. */
export function shownCards({ agent }: Front): string[] {
  return agent.messages.flatMap((message) => {
    if (message.role !== "activity") return [];
    const { value, ...payload } = message.content as { value?: Payload } & Partial<Payload>;
    const { confirmationId, status } = value ?? payload;
    return [`${confirmationId} ${status}`];
  });
}

/** Whether a run went on while the history was read. */
export function running(reloaded: Front): unknown {
  return (reloaded.events.at(-1)?.result as { running?: unknown } | undefined)?.running;
}

/** What the client knows to be open, sorted. */
export function openIds({ agent }: Front): string[] {
  return agent.pendingInterrupts.map(({ id }) => id).sort();
}

/** A person's answer as the protocol carries it. */
export function resolved(interruptId: string, { editedArguments: editedArgs, ...answer }: Answer): ResumeEntry {
  return { interruptId, status: "resolved", payload: { ...answer, ...(editedArgs && { editedArgs }) } };
}
