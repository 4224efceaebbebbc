import { type AnyEvent, type AnyMessage, text } from "./events.js";

/** A run as somebody finds it who joins it. */
export interface Joined {
  readonly run: string;
  /** It carries on after a recovery. */
  readonly recovered: boolean;
  readonly messages: readonly AnyMessage[];
  /** What is open: the events that begin it, and what was said in it. */
  readonly open: readonly AnyEvent[];
  /** The run's events from there on; they end without a terminal one where no more can be had. */
  readonly events: AsyncIterable<AnyEvent>;
}

/** The messages to be sent, and what has to be opened after them, so that nothing is told twice. */
export function opened({ messages, open }: Joined): { messages: readonly AnyMessage[]; reopening: AnyEvent[] } {
  const thoughts = open.flatMap((event) => {
    const id = text(event, "messageId");
    const content = text(event, "delta");
    return id !== undefined && content !== undefined ? [{ id, role: "reasoning", content }] : [];
  });
  const reopening = open.flatMap((event) => {
    if (event.type === "REASONING_MESSAGE_CONTENT") return [];
    const { delta, ...rest } = event;
    return [event.type === "REASONING_MESSAGE_CHUNK" ? rest : event];
  });
  return { messages: [...messages, ...thoughts], reopening };
}
