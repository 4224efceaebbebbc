import { lengthened } from "./deltas.js";
import { type AnyEvent, isTerminal, text } from "./events.js";
import { PAIRS } from "./open.js";

/** A snapshot has open texts as far as they go; of these it has nothing. */
const SAID: Readonly<Record<string, readonly [start: string, field: string]>> = {
  TOOL_CALL_ARGS: ["TOOL_CALL_START", "toolCallId"],
  REASONING_MESSAGE_CONTENT: ["REASONING_MESSAGE_START", "messageId"],
};
const CHUNKS: Readonly<Record<string, string>> = {
  TEXT_MESSAGE_CHUNK: "messageId",
  REASONING_MESSAGE_CHUNK: "messageId",
  TOOL_CALL_CHUNK: "toolCallId",
};
const LEAVE_CHUNKS_OPEN = new Set([
  "RAW",
  "ACTIVITY_SNAPSHOT",
  "ACTIVITY_DELTA",
  "REASONING_ENCRYPTED_VALUE",
  "SUBAGENT_STARTED",
]);

interface Begun {
  readonly start: AnyEvent;
  readonly said?: AnyEvent | undefined;
}

/** What somebody who joins a run must be sent after the snapshot, so that the run's next events fit. */
export class Reopening {
  readonly #begun = new Map<string, Begun>();
  /** By sub-agent: each has at most one message or call in chunks. */
  readonly #chunks = new Map<string | undefined, AnyEvent>();

  apply(event: AnyEvent): void {
    this.#closeChunks(event);
    if (isTerminal(event) || event.type === "RUN_STARTED") this.#begun.clear();
    for (const [start, end, field] of PAIRS) {
      if (event.type === start) this.#begun.set(keyOf(start, event, field), { start: event });
      if (event.type === end) this.#begun.delete(keyOf(start, event, field));
    }
    this.#say(event);
    this.#chunk(event);
  }

  /** In the order in which it was begun. */
  get events(): AnyEvent[] {
    const begun = [...this.#begun.values()].flatMap(({ start, said }) => (said ? [start, said] : [start]));
    return [...begun, ...this.#chunks.values()];
  }

  #say(event: AnyEvent): void {
    const of = SAID[event.type];
    const key = of && keyOf(of[0], event, of[1]);
    const open = key === undefined ? undefined : this.#begun.get(key);
    if (key === undefined || open === undefined) return;
    this.#begun.set(key, { ...open, said: lengthened(open.said, event) ?? event });
  }

  #chunk(event: AnyEvent): void {
    const field = CHUNKS[event.type];
    if (field === undefined) return;
    const lane = text(event, "subagentRunId");
    const before = this.#chunks.get(lane);
    const { delta: added = "", ...head } = event;
    const { delta = "", ...known } = before ?? { type: event.type };
    const inSnapshot = event.type === "TEXT_MESSAGE_CHUNK";
    const said = inSnapshot ? {} : { delta: `${String(delta)}${String(added)}` };
    if ((before ?? event)[field] !== undefined) this.#chunks.set(lane, { ...head, ...known, ...said });
  }

  /** Chunks have no end: another event of their sub-agent ends them. */
  #closeChunks(event: AnyEvent): void {
    if (LEAVE_CHUNKS_OPEN.has(event.type)) return;
    if (/^(RUN_|MESSAGES_SNAPSHOT)/.test(event.type)) this.#chunks.clear();
    const lane = text(event, "subagentRunId");
    const open = this.#chunks.get(lane);
    const field = CHUNKS[event.type];
    const id = field === undefined ? undefined : event[field];
    const goesOn = open?.type === event.type && (id === undefined || id === open[field ?? ""]);
    if (!goesOn) this.#chunks.delete(lane);
  }
}

function keyOf(start: string, event: AnyEvent, field: string): string {
  const owner = field === "stepName" ? text(event, "subagentRunId") : undefined;
  return JSON.stringify([start, event[field], owner]);
}
