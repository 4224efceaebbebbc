// A front end that follows a thread: it comes in the middle of a message, and the run's host dies before the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AbstractAgent, type BaseEvent, type RunAgentInput } from "@ag-ui/client";
import { type Gate, memoryState, type SessionState, type Versioned } from "ackgate";
import type { Observable } from "rxjs";
import { gateway, until } from "../shared/waiting.ts";
import { eventsOf } from "./agent.ts";
import { asking, type Front, front, reload, running, said } from "./client.ts";
import { startHost, THREAD } from "./host.ts";
import { LINES } from "./lines.ts";
import { ASKED, answered, called, stored, words } from "./thread.ts";

/** Says half a word, waits, says the rest and deletes a note; a run that is given the result ends with a sentence. */
class HalfwayAgent extends AbstractAgent {
  readonly #gate: Gate;
  readonly #halfway: Promise<void>;

  constructor(gate: Gate, halfway: Promise<void>) {
    super();
    this.#gate = gate;
    this.#halfway = halfway;
  }

  override clone(): HalfwayAgent {
    return new HalfwayAgent(this.#gate, this.#halfway);
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return eventsOf((send) => this.#told(input, send));
  }

  async #told({ threadId, runId, messages }: RunAgentInput, send: (event: object) => void): Promise<void> {
    const say = (messageId: string, delta: string) => send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    send({ type: "RUN_STARTED", threadId, runId });
    if (messages.at(-1)?.role === "tool") {
      send({ type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" });
      say("m2", "Done.");
      send({ type: "TEXT_MESSAGE_END", messageId: "m2" });
    } else {
      send({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
      say("m1", "I tidy");
      await this.#halfway;
      say("m1", " up.");
      send({ type: "TEXT_MESSAGE_END", messageId: "m1" });
      send({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "delete_note" });
      send({ type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"id":"n1"}' });
      send({ type: "TOOL_CALL_END", toolCallId: "c1" });
      const call = { toolCallId: "c1", toolName: "delete_note", arguments: { id: "n1" } };
      const { content } = await this.#gate.execute(call);
      send({ type: "TOOL_CALL_RESULT", messageId: "result-c1", toolCallId: "c1", content });
    }
    send({ type: "RUN_FINISHED", threadId, runId });
  }
}

/** A host's way to the shared store; `stands`: nothing comes through, as if the host were dead. */
function wayTo(shared: SessionState) {
  const way = { stands: Promise.resolve(), olderMs: 0 };
  const aged = (found: Versioned): Versioned => ({ ...found, ageMs: found.ageMs + way.olderMs });
  const state: SessionState = {
    async read(...given) {
      await way.stands;
      const found = await shared.read(...given);
      return found && aged(found);
    },
    async list(...given) {
      await way.stands;
      return (await shared.list(...given)).map(aged);
    },
    async write(...given) {
      await way.stands;
      return shared.write(...given);
    },
    subscribe: async (...given) => (await shared.subscribe?.(...given)) ?? (() => {}),
  };
  return Object.assign(way, { state });
}

const followed = ({ events }: Front) => events.map(({ type }) => type).filter((type) => type.startsWith("RUN_"));

for (const line of LINES) {
  test(`${line.name}: a follow joins in the middle of a message and lives through a recovery`, async () => {
    const shared = memoryState();
    const [dying, living] = [wayTo(shared), wayTo(shared)];
    const halfway = gateway();
    const revived = gateway();
    const agent = (gate: Gate) => new HalfwayAgent(gate, halfway.passed);
    const first = await startHost(line, { script: [], agent, state: dying.state });
    const second = await startHost(line, { script: [], agent, state: living.state });
    try {
      const person = asking(first);
      const ran = person.run({ runId: "r1" }).catch(() => {});
      await until(async () => {
        await first.clock.advance(1000);
        const stored = JSON.stringify(await shared.list({ app: "ack", user: "ann", session: THREAD }, "history"));
        return stored.includes("I tidy") && running(await reload(second));
      }, "the other host knows of the run and of what it has said");
      const follower = front(second, "/agui/history");
      const over = follower.run({ runId: "f1", forwardedProps: { follow: true } });
      await until(() => follower.order.includes("TEXT_MESSAGE_START"), "the message is begun again");
      halfway.open();
      await until(async () => {
        await first.clock.advance(1000);
        return follower.cards.length > 0;
      }, "the card comes");
      assert.deepEqual(followed(follower), ["RUN_STARTED"]);

      dying.stands = revived.passed;
      living.olderMs = 3_600_000;
      const { status, body } = await second.decide("c1", { approved: true });
      assert.deepEqual([status, body.path, body.status], [200, "recovery", "approved"]);
      living.olderMs = 0;
      await until(async () => {
        await second.clock.advance(1000);
        return followed(follower).length > 1;
      }, "the follow ends");
      await over;
      assert.deepEqual(followed(follower), ["RUN_STARTED", "RUN_FINISHED"]);
      assert.equal(follower.events.at(-1)?.runId, "f1");
      assert.deepEqual([first.ran, second.ran], [[], ["delete n1"]]);
      const came = [ASKED, words("m1", "assistant", "I tidy up."), called("c1", "delete_note", { id: "n1" })];
      const told = stored(...came, answered("c1", { deleted: "n1" }), words("m2", "assistant", "Done."));
      const content = (list: readonly { role: string; content?: unknown }[]) =>
        list.map((each) => [each.role, each.content]);
      assert.deepEqual(content(said(follower)), content(told));
      assert.deepEqual(content(said(await reload(second))), content(told));
      revived.open();
      person.agent.abortRun();
      await ran;
    } finally {
      halfway.open();
      revived.open();
      await Promise.all([first.close(), second.close()]);
    }
  });
}
