// Block mode beside the plain conversations: what happens while a run waits for its person.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@ag-ui/client";
import { memoryState, type Payload } from "ackgate";
import { gateway, until } from "../shared/waiting.ts";
import { asking, type Front, reload, running, said, shownCards } from "./client.ts";
import { startHost, THREAD, withHost } from "./host.ts";
import { LINES } from "./lines.ts";
import { ASKED, answered, called, DECLINED, done, stored, thread } from "./thread.ts";

const REMOVE = { id: "c1", tool: "delete_note", args: { id: "n1" } } as const;
const SCRIPT = [[REMOVE]];
const CALLED = called("c1", "delete_note", { id: "n1" });
const REMOVED = answered("c1", { deleted: "n1" });

const types = (person: Front) => person.order.join(" ");
const result = (person: Front) =>
  person.agent.messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : []));

/** A run that goes on by itself, and its card. */
async function waiting(person: Front) {
  const { passed, open } = gateway<Payload>();
  const over = person.run({ runId: "r1" }, open);
  return { card: await passed, over };
}

for (const line of LINES) {
  test(`${line.name}: the order of events`, () =>
    withHost(line, { script: SCRIPT }, async (host) => {
      const person = asking(host);
      await person.run({ runId: "r1" }, () => host.decide("c1", { approved: true }));
      const call = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_ARGS TOOL_CALL_END";
      const end = "TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED";
      assert.equal(types(person), `RUN_STARTED ${call} CUSTOM pending CUSTOM approved TOOL_CALL_RESULT ${end}`);
    }));

  test(`${line.name}: what the person says to a denial reaches the model`, () =>
    withHost(line, { script: SCRIPT }, async (host) => {
      const person = asking(host);
      await person.run({ runId: "r1" }, () => host.decide("c1", { approved: false, note: "keep n1" }));
      const [denied = ""] = result(person);
      assert.equal(JSON.parse(denied).reason, `${DECLINED} They said: keep n1`);
      assert.deepEqual(host.ran, []);
    }));

  test(`${line.name}: an answer that comes twice is replayed, another one is refused`, () =>
    withHost(line, { script: SCRIPT }, async (host) => {
      const person = asking(host);
      const { over } = await waiting(person);
      const yes = { approved: true };
      const both = await Promise.all([host.decide("c1", yes), host.decide("c1", yes)]);
      await over;
      const answers = [...both, await host.decide("c1", yes)];
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body.path, body.status]),
        answers.map(() => [200, "live", "approved"]),
      );
      assert.equal(answers.filter(({ body }) => body.replayed === true).length, 2);
      const { status, body } = await host.decide("c1", { approved: false });
      assert.deepEqual([status, (body.error as { code: string }).code], [409, "already_settled"]);
      assert.deepEqual([host.ran, person.settled()], [["delete n1"], [["c1", "approved"]]]);
    }));

  test(`${line.name}: nobody answers in time`, () =>
    withHost(line, { script: SCRIPT, gate: { timeoutMs: 60_000 } }, async (host) => {
      const person = asking(host);
      const { card, over } = await waiting(person);
      assert.equal(card.expiresAt, host.clock.now() + 60_000);
      await host.clock.advance(59_999);
      assert.equal((await host.pending()).length, 1);
      await host.clock.advance(1);
      await over;
      assert.deepEqual([host.ran, person.settled()], [[], [["c1", "expired"]]]);
      assert.match(result(person)[0] ?? "", /"status":"denied"/);
      assert.deepEqual(
        host.events.map(({ basis, allowed }) => [basis, allowed]),
        [["expired", false]],
      );
      assert.equal((await host.decide("c1", { approved: true })).status, 409);
      assert.equal(types(person).split(" ").at(-1), "RUN_FINISHED");
    }));

  test(`${line.name}: a cancel while a person is asked`, () =>
    withHost(line, { script: SCRIPT }, async (host) => {
      const person = asking(host);
      const { over } = await waiting(person);
      assert.deepEqual(await host.post("/agui/cancel", { threadId: THREAD }), {
        status: 200,
        body: { canceled: true },
      });
      await over;
      assert.deepEqual([host.ran, person.settled()], [[], [["c1", "canceled"]]]);
      const expected = { type: "RUN_FINISHED", threadId: THREAD, runId: "r1" };
      const outcome = line.declares ? { outcome: { type: "cancelled" } } : {};
      assert.deepEqual(person.events.at(-1), { ...expected, ...outcome });
      assert.equal(result(person).length, 1, "the call has its result");
      assert.deepEqual([await host.pending(), (await host.decide("c1", { approved: true })).status], [[], 409]);
      assert.deepEqual(
        host.events.map(({ basis }) => basis),
        ["canceled"],
      );
      assert.equal(running(await reload(host)), false);
    }));

  test(`${line.name}: a client that is gone when its person answers elsewhere`, () =>
    withHost(line, { script: SCRIPT, agui: { heartbeatMs: 0 } }, async (host) => {
      const person = asking(host);
      const { over } = await waiting(person);
      person.agent.abortRun();
      await over;
      assert.deepEqual(
        (await host.pending()).map(({ confirmationId, live }) => [confirmationId, live]),
        [["c1", true]],
      );
      const { status, body } = await host.decide("c1", { approved: true });
      assert.deepEqual([status, body.path], [200, "live"]);
      await until(async () => running(await reload(host)) === false, "the run ends");
      assert.deepEqual(host.ran, ["delete n1"]);
      const after = await reload(host);
      assert.deepEqual(said(after), stored(ASKED, CALLED, REMOVED, done("r1")));
      assert.deepEqual(shownCards(after), ["c1 approved"]);
    }));

  test(`${line.name}: a reload while a person is asked, and after it`, () =>
    withHost(line, { script: SCRIPT, agui: { activity: true } }, async (host) => {
      const person = asking(host);
      const { card, over } = await waiting(person);
      const during = await reload(host);
      const shown = (content: Payload): Message => ({
        id: "ack:c1",
        role: "activity",
        activityType: "ack.tool-confirmation",
        content: { ...content },
      });
      assert.deepEqual(during.agent.messages, stored(ASKED, CALLED, shown(card)));
      assert.equal(running(during), true);
      const [open] = await host.pending();
      assert.deepEqual(open, { ...card, live: true });
      await host.decide("c1", { approved: true });
      await over;

      const after = await reload(host);
      const settled = person.cards.at(-1) as Payload;
      assert.equal(settled.status, "approved");
      const came = [ASKED, CALLED, shown(settled), REMOVED, done("r1")];
      assert.deepEqual(after.agent.messages, stored(...came));
      assert.deepEqual(person.agent.messages, thread(line, came));
      // Another turn on top of what was reloaded.
      after.agent.url = `${host.url}/agui`;
      after.agent.addMessage({ id: "u2", role: "user", content: "and?" });
      await after.run({ runId: "r2" });
      assert.deepEqual(after.agent.messages.at(-1), done("r2"));
      assert.deepEqual([host.ran, host.logs], [["delete n1"], []]);
    }));

  test(`${line.name}: a stream that waits is kept awake`, () =>
    withHost(line, { script: SCRIPT, agui: { heartbeatMs: 15_000 } }, async (host) => {
      const person = asking(host);
      const { over } = await waiting(person);
      for (let beats = 1; beats <= 3; beats++) {
        await host.clock.advance(14_999);
        assert.equal(person.heartbeats(), beats - 1);
        await host.clock.advance(1);
        await until(() => person.heartbeats() === beats);
      }
      await host.decide("c1", { approved: true });
      await over;
      assert.equal(person.heartbeats(), 3);
      assert.deepEqual(result(person), ['{"deleted":"n1"}']);
    }));

  test(`${line.name}: a thread has one run at a time`, ({ mock }) =>
    withHost(line, { script: SCRIPT }, async (host) => {
      const person = asking(host);
      const { over } = await waiting(person);
      mock.method(console, "error", () => {}); // Clients print what they throw.
      await assert.rejects(asking(host).run({ runId: "r2" }), (error: Error & { status?: number }) => {
        assert.equal(error.status, 409);
        return /run_active/.test(error.message);
      });
      await host.decide("c1", { approved: true });
      await over;
      await person.run({ runId: "r3" });
      assert.deepEqual([person.agent.messages.at(-1), host.ran], [done("r3"), ["delete n1"]]);
    }));

  test(`${line.name}: a host that is gone while a person is asked`, async () => {
    const state = memoryState();
    const first = await startHost(line, { script: SCRIPT, state });
    const person = asking(first);
    const { over } = await waiting(person);
    await first.gate.close();
    await over.catch(() => {});
    assert.deepEqual([person.events.at(-1)?.type, person.events.at(-1)?.code], ["RUN_ERROR", "closed"]);
    await first.close();

    await withHost(line, { script: SCRIPT, state }, async (second) => {
      assert.deepEqual(said(await reload(second)), [ASKED, CALLED]);
      assert.deepEqual(
        (await second.pending()).map(({ confirmationId, live }) => [confirmationId, live]),
        [["c1", false]],
      );
      const { status, body } = await second.decide("c1", { approved: true });
      assert.deepEqual([status, body.path, body.status], [200, "recovery", "approved"]);
      await until(async () => running(await reload(second)) === false, "the resumed run ends");
      assert.deepEqual([first.ran, second.ran], [[], ["delete n1"]]);
      const content = said(await reload(second)).map((message) => [message.role, message.content]);
      assert.deepEqual(content.slice(2), [
        ["tool", '{"deleted":"n1"}'],
        ["assistant", "Done."],
      ]);
      assert.deepEqual([await second.pending(), second.logs], [[], []]);
    });
  });
}
