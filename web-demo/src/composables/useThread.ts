import { HttpAgent, type Message, randomUUID } from "@ag-ui/client";
import type { Payload } from "ackgate";
import { type Ref, ref, shallowRef } from "vue";
import { HttpError, messageIn, post } from "../http.ts";

const KEY = "notes-thread";
const WHILE_RUNNING_MS = 400;
const WHILE_ASKED_MS = 2000;
const WHILE_AWAY_MS = 1000;

interface Cards {
  readonly open: Readonly<Ref<readonly unknown[]>>;
  show(payload: Payload): void;
  refresh(threadId: string): Promise<void>;
  clear(): void;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The chat's thread: its messages, the run that is active, and the way back after a reload or a restart. */
export function useThread(cards: Cards) {
  let agent = new HttpAgent({ url: "/agui", threadId: localStorage.getItem(KEY) ?? randomUUID() });
  let following = 0;
  const messages = shallowRef<readonly Message[]>([]);
  const loaded = ref(false);
  const running = ref(false);
  const online = ref(true);
  const error = ref("");

  async function send(content: string): Promise<void> {
    following++;
    running.value = true;
    error.value = "";
    agent.addMessage({ id: randomUUID(), role: "user", content });
    try {
      await agent.runAgent(
        {},
        {
          onMessagesChanged: ({ messages: now }) => {
            messages.value = [...now];
          },
          onCustomEvent: ({ event }) => cards.show(event.value as Payload),
          onRunErrorEvent: ({ event }) => {
            error.value = event.message;
          },
        },
      );
    } catch (thrown) {
      error.value = refusalOf(thrown)?.message ?? "";
    }
    await follow();
  }

  /** Reads the history and what is open, again and again while there is a run or a card that no stream tells of. */
  async function follow(): Promise<void> {
    const mine = ++following;
    for (;;) {
      const pause = await readOnce(() => mine === following);
      if (pause === undefined) return;
      await sleep(pause);
      if (mine !== following) return;
    }
  }

  /** Gives how long to wait before the next time; undefined when none is due or `wanted`. */
  async function readOnce(wanted: () => boolean): Promise<number | undefined> {
    const { threadId } = agent;
    localStorage.setItem(KEY, threadId);
    try {
      const history = new HttpAgent({ url: "/agui/history", threadId });
      const { result } = await history.runAgent();
      if (!wanted()) return undefined;
      await cards.refresh(threadId);
      if (!wanted()) return undefined;
      agent.setMessages(history.messages);
      messages.value = history.messages;
      running.value = (result as { running?: boolean }).running === true;
      if (!online.value) error.value = "";
      online.value = true;
      loaded.value = true;
      if (running.value) return WHILE_RUNNING_MS;
      return cards.open.value.length > 0 ? WHILE_ASKED_MS : undefined;
    } catch (thrown) {
      if (!wanted()) return undefined;
      const refusal = refusalOf(thrown);
      running.value = false;
      online.value = refusal !== undefined;
      if (refusal === undefined) return WHILE_AWAY_MS;
      error.value = refusal.message;
      return undefined;
    }
  }

  async function stop(): Promise<void> {
    await post("/agui/cancel", { threadId: agent.threadId }).catch(() => follow());
  }

  async function fresh(): Promise<void> {
    agent = new HttpAgent({ url: "/agui", threadId: randomUUID() });
    cards.clear();
    messages.value = [];
    loaded.value = false;
    error.value = "";
    await follow();
  }

  return { messages, loaded, running, online, error, send, stop, follow, fresh };
}

/** What the server said; undefined when there was no answer. */
function refusalOf(thrown: unknown): Error | undefined {
  if (thrown instanceof HttpError) return thrown;
  const { status, payload } = thrown as { status?: number; payload?: unknown };
  return status === undefined ? undefined : new HttpError(status, messageIn(payload));
}
