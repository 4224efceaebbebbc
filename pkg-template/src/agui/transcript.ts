import { randomText } from "../random.js";
import type { Payload } from "../types.js";
import { CARD_ACTIVITY, customCard, settledCard } from "./card-messages.js";
import { type AnyEvent, type AnyMessage, callMessage, isInterrupt, type StoredCall, text } from "./events.js";
import { merged } from "./place.js";

const SAVE_AFTER = new Set(["TOOL_CALL_END", "TOOL_CALL_RESULT", "TEXT_MESSAGE_END", "MESSAGES_SNAPSHOT"]);

/** The messages of a thread as one run changes them: what was stored, with the run's own laid over it. */
export class Transcript {
  #stored: readonly AnyMessage[] = [];
  #storedOutcome: unknown;
  #ended: { readonly outcome: unknown } | undefined;
  readonly #eventName: string;
  readonly #own = new Map<string, AnyMessage>();
  readonly #openCalls = new Set<string>();
  #chunked: { text?: string; call?: string } = {};

  constructor(eventName: string) {
    this.#eventName = eventName;
  }

  set stored({ messages, outcome }: { readonly messages: readonly AnyMessage[]; readonly outcome?: unknown }) {
    this.#stored = messages;
    this.#storedOutcome = outcome;
  }

  /** The open interrupts that the last run ended with; like a client, an error leaves them as they are. */
  get outcome(): unknown {
    return this.#ended === undefined ? this.#storedOutcome : this.#ended.outcome;
  }

  /** Complete calls only: half an argument text is of no use to anyone who reads the thread later. */
  get messages(): AnyMessage[] {
    return merged(this.#stored, this.#own.values()).flatMap((message) => this.#complete(message));
  }

  set(message: AnyMessage): void {
    this.#own.set(message.id, message);
  }

  /** A result from the gate, under its own id unless a message of another kind has that already. */
  answer(result: AnyMessage): void {
    const other = this.#find(result.id);
    const taken = other !== undefined && other.role !== "tool";
    this.set(taken ? { ...result, id: `result:${result.toolCallId}` } : result);
  }

  /** The call a card is about: the process may have died after the card was stored and before the call was. */
  asked(payload: Payload): void {
    if (this.#holder(payload.toolCallId) === undefined) this.set(callMessage(payload));
  }

  /** What became of a card while no run could show it. */
  settle(payload: Payload): void {
    const shown = this.#find(`ack:${payload.confirmationId}`);
    const settled = shown && settledCard(shown, payload);
    if (settled) this.set(settled);
  }

  /** From the client: what the person said, and the results of the client's own tools; never the agent's part. */
  addInput(messages: readonly AnyMessage[], frontend: ReadonlySet<string>): void {
    const known = new Set(this.#stored.map(({ id }) => id));
    const calls = this.#stored.flatMap(({ toolCalls }) => toolCalls ?? []);
    const theirs = new Set(calls.filter((call) => frontend.has(call.function.name)).map(({ id }) => id));
    for (const message of messages) {
      const result = message.role === "tool" && theirs.has(message.toolCallId ?? "");
      if (!known.has(message.id) && (message.role === "user" || result)) this.set(message);
    }
  }

  /** True when the thread is now worth saving. */
  apply(event: AnyEvent): boolean {
    const closed = this.#closeChunk(event);
    switch (event.type) {
      case "TEXT_MESSAGE_START":
      case "TEXT_MESSAGE_CONTENT":
        this.#text(event, text(event, "messageId"));
        break;
      case "TEXT_MESSAGE_CHUNK":
        this.#text(event, text(event, "messageId") ?? this.#chunked.text);
        break;
      case "TOOL_CALL_START":
      case "TOOL_CALL_ARGS":
        this.#call(event, text(event, "toolCallId"));
        break;
      case "TOOL_CALL_CHUNK":
        this.#call(event, text(event, "toolCallId") ?? this.#chunked.call);
        break;
      case "TOOL_CALL_END":
        this.#openCalls.delete(text(event, "toolCallId") ?? "");
        break;
      case "TOOL_CALL_RESULT":
        this.#result(event);
        break;
      case "ACTIVITY_SNAPSHOT":
        return this.#activity(event) || closed;
      case "CUSTOM":
        this.#custom(event);
        break;
      case "RUN_FINISHED":
        this.#ended = { outcome: isInterrupt(event.outcome) ? event.outcome : undefined };
        break;
      case "MESSAGES_SNAPSHOT":
        for (const message of Array.isArray(event.messages) ? event.messages : []) this.#adopt(message);
        break;
    }
    return closed || SAVE_AFTER.has(event.type);
  }

  #find(id: string): AnyMessage | undefined {
    return this.#own.get(id) ?? this.#stored.find((message) => message.id === id);
  }

  #text(event: AnyEvent, id: string | undefined): void {
    if (id === undefined) return;
    if (event.type === "TEXT_MESSAGE_CHUNK") this.#chunked.text = id;
    const before = this.#find(id) ?? { id, role: text(event, "role") ?? "assistant", ...attribution(event) };
    this.set({ ...before, content: (text(before, "content") ?? "") + (text(event, "delta") ?? "") });
  }

  #call(event: AnyEvent, id: string | undefined): void {
    if (id === undefined) return;
    if (event.type === "TOOL_CALL_CHUNK") this.#chunked.call = id;
    const holder = this.#holder(id);
    const delta = text(event, "delta") ?? "";
    const name = text(event, "toolCallName");
    if (event.type === "TOOL_CALL_START") this.#openCalls.add(id);
    if (holder !== undefined) {
      const again = event.type === "TOOL_CALL_START";
      const grown = ({ name, arguments: before }: StoredCall["function"]) => ({
        name,
        arguments: again ? "" : before + delta,
      });
      const toolCalls = (holder.toolCalls ?? []).map((call) =>
        call.id === id ? { ...call, function: grown(call.function) } : call,
      );
      this.set({ ...holder, toolCalls });
    } else if (name !== undefined) {
      const parent = text(event, "parentMessageId") ?? id;
      const message = this.#find(parent) ?? { id: parent, role: "assistant", ...attribution(event) };
      const call = { id, type: "function", function: { name, arguments: delta } } as const;
      this.set({ ...message, toolCalls: [...(message.toolCalls ?? []), call] });
      this.#openCalls.add(id);
    }
  }

  #holder(callId: string): AnyMessage | undefined {
    const holds = (message: AnyMessage) => message.toolCalls?.some(({ id }) => id === callId);
    return [...this.#own.values()].find(holds) ?? this.#stored.find(holds);
  }

  #adopt(message: unknown): void {
    const { id, role } = (message ?? {}) as { id?: unknown; role?: unknown };
    if (typeof id === "string" && typeof role === "string") this.set(message as AnyMessage);
  }

  #result(event: AnyEvent): void {
    const id = text(event, "messageId");
    const toolCallId = text(event, "toolCallId");
    if (id === undefined || toolCallId === undefined) return;
    this.set({ id, role: "tool", toolCallId, content: event.content, ...attribution(event) });
  }

  #activity(event: AnyEvent): boolean {
    const id = text(event, "messageId");
    if (id === undefined || event.activityType !== CARD_ACTIVITY) return false;
    this.set({ id, role: "activity", activityType: CARD_ACTIVITY, content: event.content });
    return true;
  }

  /** A card has one message, whichever events draw it. */
  #custom(event: AnyEvent): void {
    const { name, value } = event;
    const own = { id: `custom:${randomText()}`, role: "activity", activityType: "CUSTOM", content: { name, value } };
    const card = customCard(event, this.#eventName);
    if (card === undefined) this.set(own);
    else if (this.#find(card.id)?.activityType !== CARD_ACTIVITY) this.set(card);
  }

  /** Chunks have no END: the next event that is none of theirs ends them. */
  #closeChunk(event: AnyEvent): boolean {
    if (event.type === "RAW") return false;
    const { text: message, call } = this.#chunked;
    const next = text(event, event.type === "TOOL_CALL_CHUNK" ? "toolCallId" : "messageId");
    const same = (type: string, id: string | undefined) => event.type === type && (next === undefined || next === id);
    if (same("TEXT_MESSAGE_CHUNK", message) || same("TOOL_CALL_CHUNK", call)) return false;
    this.#chunked = {};
    return (call !== undefined && this.#openCalls.delete(call)) || message !== undefined;
  }

  #complete(message: AnyMessage): AnyMessage[] {
    if (!message.toolCalls?.some(({ id }) => this.#openCalls.has(id))) return [message];
    const { toolCalls, ...rest } = message;
    const whole = toolCalls.filter(({ id }) => !this.#openCalls.has(id));
    if (whole.length > 0) return [{ ...rest, toolCalls: whole }];
    return rest.content === undefined || rest.content === "" ? [] : [rest];
  }
}

function attribution(event: AnyEvent): { subagentRunId?: string } {
  const subagentRunId = text(event, "subagentRunId");
  return subagentRunId === undefined ? {} : { subagentRunId };
}
