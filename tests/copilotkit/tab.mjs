import { EventEmitter, once } from "node:events";
import { ɵInterruptState as InterruptState, ProxiedCopilotRuntimeAgent } from "@copilotkit/core";
import { as } from "../hosts/example.mjs";

/** A browser tab with CopilotKit's own client, and what it was shown. */
export class Tab {
  cards = [];
  results = [];
  /** How the latest run ended. */
  end;
  #agent;
  #runId;
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

  get interrupts() {
    return this.#agent.pendingInterrupts;
  }

  get messages() {
    return this.#agent.messages;
  }

  /**
   * One answer to every interrupt, as CopilotKit's hooks give it: with a tool message made of the answer for each call,
   * and under the run id of the run that was interrupted.
   */
  answer(payload) {
    const state = new InterruptState();
    state.setStandard(this.interrupts);
    const { resume, toolResults } = this.interrupts.map(({ id }) => state.resolve(payload, id)).at(-1);
    for (const each of toolResults) this.#agent.addMessage({ id: crypto.randomUUID(), role: "tool", ...each });
    return this.resume(resume);
  }

  resume(resume) {
    return this.#until(this.#agent.runAgent({ resume, ...(this.#runId && { runId: this.#runId }) }, this.#subscriber));
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
    onEvent: ({ event }) => {
      if (event.type === "RUN_STARTED") this.#runId = event.runId;
      if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") this.end = event;
    },
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
