import type { Payload, PendingItem } from "ackgate";
import { computed, shallowReactive } from "vue";
import { get, post } from "../http.ts";

export interface Card {
  readonly payload: Payload;
  /** False: the run that asked is gone. Answering carries on without it. */
  readonly live: boolean;
  /** Answered, or no longer listed by the server. */
  readonly closed: boolean;
  readonly busy: boolean;
  readonly error: string;
}
export interface Answer {
  readonly approved: boolean;
  readonly remember: boolean;
}

const AWAY = "the server can't be reached";

/** One card per confirmation, whatever order its events come in. */
export function useConfirmations() {
  const cards = shallowReactive(new Map<string, Card>());
  const open = computed(() =>
    [...cards.values()].filter(({ closed }) => !closed).sort((a, b) => a.payload.createdAt - b.payload.createdAt),
  );

  function change(id: string, fields: Partial<Card>): void {
    const card = cards.get(id);
    if (card !== undefined) cards.set(id, { ...card, ...fields });
  }

  /** From the run's stream. A card that is closed stays so. */
  function show(payload: Payload): void {
    const known = cards.get(payload.confirmationId);
    const settled = payload.status !== "pending";
    if (known?.closed && !settled) return;
    cards.set(payload.confirmationId, { busy: false, error: "", live: true, ...known, payload, closed: settled });
  }

  /** From the pending query: what it leaves out is open no more. */
  async function refresh(threadId: string): Promise<void> {
    const before = open.value.map(({ payload }) => payload.confirmationId);
    const listed = await get<PendingItem[]>(`/ack/confirmations?threadId=${encodeURIComponent(threadId)}`);
    const ids = new Set(listed.map(({ confirmationId }) => confirmationId));
    for (const id of before.filter((each) => !ids.has(each))) change(id, { closed: true });
    for (const { live, ...payload } of listed) {
      const known = cards.get(payload.confirmationId);
      if (known !== undefined && known.payload.status !== "pending") continue;
      const error = known === undefined || known.error === AWAY ? "" : known.error;
      cards.set(payload.confirmationId, { busy: known?.busy ?? false, error, payload, live, closed: false });
    }
  }

  /** Gives the path the answer took; undefined when it was not taken, which the card then says. */
  async function decide(card: Card, { approved, remember }: Answer): Promise<"live" | "recovery" | undefined> {
    const { confirmationId, sessionId: threadId } = card.payload;
    change(confirmationId, { busy: true, error: "" });
    try {
      const body = { threadId, confirmationId, approved, ...(remember && { remember: "session" }) };
      const { path } = await post<{ path: "live" | "recovery" }>("/ack/confirmation", body);
      change(confirmationId, { busy: false, closed: true });
      return path;
    } catch (error) {
      const text = error instanceof TypeError ? AWAY : (error as Error).message;
      change(confirmationId, { busy: false, error: text });
      return undefined;
    }
  }

  return { open, show, refresh, decide, clear: () => cards.clear() };
}
