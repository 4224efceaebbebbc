import type { HostSide } from "../internal.js";
import type { Context, Gate, Payload, PendingItem, SessionKey } from "../types.js";
import { cardIn, settledCard } from "./card-messages.js";
import { type AnyMessage, isInterrupt } from "./events.js";
import { outcomeFor } from "./lines.js";

/** A thread's cards and interrupts as they are now: they may have been settled where no run could hear it. */
export class Cards {
  readonly #gate: Gate;
  readonly #host: HostSide;
  readonly #session: SessionKey;
  readonly #context: Context;

  constructor(gate: Gate, host: HostSide, session: SessionKey, context: Context) {
    this.#gate = gate;
    this.#host = host;
    this.#session = session;
    this.#context = context;
  }

  /** Each card with its present status; one that is shown as open and of which nothing is known is left out. */
  async refreshed(messages: readonly AnyMessage[]): Promise<readonly AnyMessage[]> {
    const shown = messages.flatMap((message) => (isOpen(message) ? [cardIn(message)?.confirmationId ?? ""] : []));
    if (shown.length === 0) return messages;
    const known = new Map<string, Partial<Payload>>(await this.#host.payloads(this.#session, shown));
    const open = await this.#open();
    return messages.flatMap((message) => {
      if (!isOpen(message)) return [message];
      const id = cardIn(message)?.confirmationId ?? "";
      const payload = open.has(id) ? (known.get(id) ?? {}) : known.get(id);
      const now = payload && settledCard(message, payload);
      return now === undefined || (isOpen(now) && !open.has(id)) ? [] : [now];
    });
  }

  /** The outcome for a client that did or did not declare a protocol version: only what is still open, and only words it knows. */
  async outcome(outcome: unknown, declared: boolean): Promise<unknown> {
    if (!isInterrupt(outcome)) return outcomeFor(declared, outcome);
    const open = await this.#open();
    const interrupts = outcome.interrupts.flatMap(({ expiresAt, ...interrupt }) => {
      const item = open.get(interrupt.id);
      if (isOurs(interrupt) && item?.status !== "pending") return [];
      const until = item?.expiresAt === undefined ? expiresAt : new Date(item.expiresAt).toISOString();
      return [declared && until !== undefined ? { ...interrupt, expiresAt: until } : interrupt];
    });
    return interrupts.length > 0 ? { ...outcome, interrupts } : undefined;
  }

  /** True when a person has decided everything and a run that carries on must still come. */
  async resuming(): Promise<boolean> {
    const open = [...(await this.#open()).values()];
    return open.length > 0 && open.every(({ status }) => status !== "pending");
  }

  async #open(): Promise<Map<string, PendingItem>> {
    const items = await this.#gate.pending(this.#session.session, { context: this.#context });
    return new Map(items.map((item) => [item.confirmationId, item]));
  }
}

function isOpen(message: AnyMessage): boolean {
  return cardIn(message)?.status === "pending";
}

/** The gate's own interrupts carry the confirmation; the agent's others are its own affair. */
function isOurs(interrupt: { readonly [field: string]: unknown }): boolean {
  return (interrupt.metadata as { ack?: unknown } | undefined)?.ack !== undefined;
}
