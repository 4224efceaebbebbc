import { EventEmitter, once } from "node:events";
import { ProxiedCopilotRuntimeAgent } from "@copilotkit/core";
import { as } from "../hosts/example.mjs";

/** A browser tab with CopilotKit's own client, and what it was shown. */
export class Tab {
  cards = [];
  results = [];
  #agent;
  #shown = new EventEmitter();
  #ended = new AbortController();

  constructor(host, user, threadId) {
    const runtimeUrl = `${host.base}/api/copilotkit`;
    this.#agent = new ProxiedCopilotRuntimeAgent({ runtimeUrl, agentId: "notes", threadId, headers: as(host, user) });
  }

  run() {
    this.#agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "clean up" });
    return this.#until(this.#agent.runAgent({}, this.#subscriber));
  }

  /** Opens the thread: what has been, then what is under way. */
  connect() {
    return this.#until(this.#agent.connectAgent({}, this.#subscriber));
  }

  stop() {
    this.#agent.abortRun();
  }

  /** The browser hangs up; nobody asked the run to stop. */
  close() {
    this.#agent.abortController.abort();
  }

  /** The card, as soon as it is shown; fails when the stream ends without it. */
  async card(status) {
    const shown = this.cards.find((card) => card.status === status);
    return shown ?? (await once(this.#shown, status, { signal: this.#ended.signal }))[0];
  }

  async #until(stream) {
    try {
      await stream;
    } finally {
      this.#ended.abort();
    }
  }

  #subscriber = {
    onCustomEvent: ({ event: { value } }) => {
      const { confirmationId, status } = value;
      this.cards.push({ confirmationId, status });
      this.#shown.emit(status, { confirmationId, status });
    },
    onToolCallResultEvent: ({ event }) => {
      this.results.push(JSON.parse(event.content));
    },
  };
}
