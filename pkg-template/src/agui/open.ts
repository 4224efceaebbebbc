import { type AnyEvent, text } from "./events.js";

/** Opening event, its end, the field that pairs them. */
export const PAIRS = [
  ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "messageId"],
  ["TOOL_CALL_START", "TOOL_CALL_END", "toolCallId"],
  ["REASONING_START", "REASONING_END", "messageId"],
  ["REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "messageId"],
  ["STEP_STARTED", "STEP_FINISHED", "stepName"],
  ["SUBAGENT_STARTED", "SUBAGENT_FINISHED", "subagentRunId"],
  ["SUBAGENT_STARTED", "SUBAGENT_ERROR", "subagentRunId"],
] as const;

/** What a run has begun and not ended: clients refuse a RUN_FINISHED while anything is open. */
export class Open {
  readonly #frontend: ReadonlySet<string>;
  readonly #ends = new Map<string, AnyEvent>();
  readonly #names = new Map<string, string>();
  readonly #unanswered = new Set<string>();
  readonly #cards = new Set<string>();

  constructor(frontend: ReadonlySet<string>) {
    this.#frontend = frontend;
  }

  apply(event: AnyEvent): void {
    for (const [start, end, field] of PAIRS) this.#pair(event, start, end, field);
    const toolCallId = text(event, "toolCallId") ?? "";
    if (event.type === "TOOL_CALL_START") this.#names.set(toolCallId, text(event, "toolCallName") ?? "");
    if (event.type === "TOOL_CALL_RESULT") this.#unanswered.delete(toolCallId);
    if (event.type === "TOOL_CALL_END" && !this.#frontend.has(this.#names.get(toolCallId) ?? "")) {
      this.#unanswered.add(toolCallId);
    }
    const card = cardOf(event);
    if (card?.status === "pending") this.#cards.add(card.confirmationId);
    else if (card !== undefined) this.#cards.delete(card.confirmationId);
  }

  /** True while a person or a tool has not answered. */
  get waiting(): boolean {
    return this.#unanswered.size > 0 || this.#cards.size > 0;
  }

  /** Calls that are being written, or have ended and have no result yet; not those that the client runs. */
  get unfinished(): ReadonlySet<string> {
    const written = [...this.#ends.values()].filter(({ type }) => type === "TOOL_CALL_END");
    return new Set([...written.map((end) => text(end, "toolCallId") ?? ""), ...this.#unanswered]);
  }

  /** The name of a call's tool. */
  nameOf(toolCallId: string): string {
    return this.#names.get(toolCallId) ?? "";
  }

  /** The ends that are due, innermost first. */
  get ends(): AnyEvent[] {
    return [...this.#ends.values()].reverse();
  }

  #pair(event: AnyEvent, start: string, end: string, field: string): void {
    if (event.type !== start && event.type !== end) return;
    const owner = text(event, "subagentRunId");
    const id = text(event, field);
    const key = JSON.stringify([start, id, field === "stepName" ? owner : undefined]);
    if (event.type === end) {
      this.#ends.delete(key);
    } else if (id !== undefined) {
      const message = end === "SUBAGENT_ERROR" ? { message: "the run was canceled" } : {};
      const attributed = owner === undefined ? {} : { subagentRunId: owner };
      this.#ends.set(key, { type: end, [field]: id, ...attributed, ...message });
    }
  }
}

/** The confirmation an event is about, when it is one of the gate's. */
export function cardOf(event: AnyEvent): { confirmationId: string; status: string } | undefined {
  if (event.type !== "CUSTOM" || typeof event.value !== "object" || event.value === null) return undefined;
  const { confirmationId, status } = event.value as { confirmationId?: unknown; status?: unknown };
  if (typeof confirmationId !== "string" || typeof status !== "string") return undefined;
  return { confirmationId, status };
}
