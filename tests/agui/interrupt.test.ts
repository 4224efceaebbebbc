// Interrupt mode: the run ends while a person is asked, and a later one carries the answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryState, type Payload } from "ackgate";
import { until } from "../shared/waiting.ts";
import { asking, openIds, reload, said, shownCards } from "./client.ts";
import { type HostOptions, startHost, withHost } from "./host.ts";
import { LINES } from "./lines.ts";
import { forget, last, latest, no, ONE, outcome, parked, reason, results, resume, TWO, tried, yes } from "./parked.ts";
import { ASKED, answered, called, DECLINED, done, loose, thread } from "./thread.ts";

for (const line of LINES) {
  parked(line, "what an interrupt says", { script: TWO, gate: { timeoutMs: 60_000 } }, async (host, person) => {
    assert.equal(outcome(person), "interrupt");
    assert.deepEqual(openIds(person), ["c1", "c2"]);
    const open = await host.pending();
    for (const interrupt of person.agent.pendingInterrupts) {
      const { live, ...payload } = open.find(({ confirmationId }) => confirmationId === interrupt.id) ?? {};
      assert.equal(live, false, "nobody waits");
      const { id, reason, toolCallId, message, responseSchema, expiresAt, metadata, ...more } = interrupt;
      assert.deepEqual([reason, toolCallId, more], ["tool_call", id, {}]);
      assert.match(String(message), /delete_note/);
      assert.deepEqual(metadata, { ack: { v: 1, ...payload } });
      assert.deepEqual(responseSchema?.required, ["approved"]);
      const { approved, remember, editedArgs } = (responseSchema?.properties ?? {}) as Record<
        string,
        { type?: string }
      >;
      assert.equal(approved?.type, "boolean");
      assert.ok(remember, "a card that offers a grant says so");
      assert.equal(editedArgs?.type, "object");
      // An earlier line would be stuck behind an interrupt that has expired.
      const deadline = new Date((payload as unknown as Payload).expiresAt ?? Number.NaN).toISOString();
      assert.equal(expiresAt, line.declares ? deadline : undefined);
    }
    assert.deepEqual([host.ran, host.events, host.logs], [[], [], []]);
  });

  parked(line, "a resumed run sends the result, not the call again", { script: ONE }, async (host, person) => {
    await resume(person, "r2", yes("c1"));
    const types = latest(person).map(({ type }) => type);
    assert.ok(!types.some((type) => /^TOOL_CALL_(START|ARGS|END|CHUNK)$/.test(type)), types.join(" "));
    assert.deepEqual(results(person), [["c1", '{"deleted":"n1"}']]);
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
    assert.deepEqual(last(person).runId, "r2");
  });

  parked(line, "a client does not send half an answer, or none", { script: TWO }, async (host, person) => {
    await assert.rejects(resume(person, "r2", yes("c1")), /c2/);
    await assert.rejects(person.run({ runId: "r3" }), /c1.*c2/);
    assert.deepEqual([(await host.pending()).length, host.ran], [2, []]);
  });

  parked(
    line,
    "half an answer is kept, runs nothing, and the rest is asked again",
    { script: TWO },
    async (host, person) => {
      forget(person, "c2");
      await resume(person, "r2", yes("c1"));
      assert.deepEqual([outcome(person), openIds(person), host.ran], ["interrupt", ["c2"], []]);
      await resume(person, "r3", no("c2"));
      assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
      const came = [called("c1", "delete_note", { id: "n1" }), called("c2", "delete_note", { id: "n2" })];
      const declined = { status: "denied", tool: "delete_note", reason: DECLINED };
      const told = [answered("c1", { deleted: "n1" }), answered("c2", declined)];
      assert.deepEqual(loose(person.agent.messages), loose(thread(line, [ASKED, ...came, ...told, done("r3")])));
    },
  );

  parked(line, "half by POST, half by resume", { script: TWO }, async (host, person) => {
    const { status, body } = await host.decide("c2", { approved: false });
    assert.deepEqual([status, body.path, body.status, host.ran], [200, "recovery", "denied", []]);
    forget(person, "c2");
    await resume(person, "r2", yes("c1"));
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
    assert.deepEqual(
      results(person)
        .map(([id]) => id)
        .sort(),
      ["c1", "c2"],
    );
  });

  parked(
    line,
    "no answer at all: the same is asked again, nothing is recorded",
    { script: TWO },
    async (host, person) => {
      const before = await host.pending();
      forget(person, "c1", "c2");
      await person.run({ runId: "r2" });
      assert.deepEqual([outcome(person), openIds(person), host.ran], ["interrupt", ["c1", "c2"], []]);
      assert.deepEqual(await host.pending(), before);
    },
  );

  parked(
    line,
    "after a RUN_ERROR the same answers are replayed",
    { script: ONE, fails: new Set(["r2"]) },
    async (host, person) => {
      await resume(person, "r2", yes("c1")).catch(() => {});
      assert.deepEqual([last(person).type, openIds(person), host.ran], ["RUN_ERROR", ["c1"], ["delete n1"]]);
      await resume(person, "r3", yes("c1"));
      assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
      const tools = person.agent.messages.filter(({ role }) => role === "tool");
      assert.deepEqual([tools.length, tools[0]?.content], [1, '{"deleted":"n1"}']);
      assert.equal(host.given.at(-1)?.filter(({ role }) => role === "tool").length, 1);
    },
  );

  parked(
    line,
    "another answer after a RUN_ERROR changes nothing",
    { script: ONE, fails: new Set(["r2"]) },
    async (host, person) => {
      await resume(person, "r2", yes("c1")).catch(() => {});
      const logged = host.logs.length;
      await resume(person, "r3", no("c1"));
      assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
      assert.ok(host.logs.length > logged, "it is logged");
      assert.ok(person.agent.messages.some(({ role, content }) => role === "tool" && content === '{"deleted":"n1"}'));
    },
  );

  parked(line, "an answer after the deadline", { script: ONE, gate: { timeoutMs: 60_000 } }, async (host, person) => {
    await host.clock.advance(60_000);
    await resume(person, "r2", yes("c1"));
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], []]);
    assert.match(reason(person), /Do not retry/);
    assert.deepEqual(
      host.events.map(({ basis, allowed }) => [basis, allowed]),
      [["expired", false]],
    );
  });

  // The host's clock is far behind the client's, for which the interrupt is over as soon as it comes.
  const late: HostOptions = { script: ONE, gate: { timeoutMs: 60_000 }, startMs: Date.UTC(2001, 0) };
  parked(line, "a client that thinks it is too late can still go on", late, async (host, person) => {
    await resume(person, "r2", { interruptId: "c1", status: "cancelled" });
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], []]);
  });

  parked(line, "a reload finds what is open, and can answer it", { script: TWO }, async (host) => {
    const reloaded = await reload(host);
    assert.deepEqual([outcome(reloaded), openIds(reloaded)], ["interrupt", ["c1", "c2"]]);
    const calls = [called("c1", "delete_note", { id: "n1" }), called("c2", "delete_note", { id: "n2" })];
    assert.deepEqual(said(reloaded), [ASKED, ...calls]);
    assert.deepEqual(shownCards(reloaded).sort(), ["c1 pending", "c2 pending"]);
    reloaded.agent.url = `${host.url}/agui`;
    await resume(reloaded, "r2", yes("c1"), yes("c2"));
    assert.deepEqual([outcome(reloaded), openIds(reloaded)], ["success", []]);
    assert.deepEqual([...host.ran].sort(), ["delete n1", "delete n2"]);
    const after = await reload(host);
    assert.deepEqual([outcome(after), openIds(after)], ["success", []]);
    assert.deepEqual(said(after).at(-1), done("r2"));
    assert.deepEqual(shownCards(after).sort(), ["c1 approved", "c2 approved"]);
  });

  parked(
    line,
    "answered by POST, and then resumed by a client that does not know",
    { script: ONE },
    async (host, person) => {
      const { status, body } = await host.decide("c1", { approved: true });
      assert.deepEqual([status, body.path, body.status], [200, "recovery", "approved"]);
      await until(async () => (await tried(person)) === undefined);
      assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
      const tools = person.agent.messages.filter(({ role }) => role === "tool");
      assert.deepEqual(
        tools.map(({ content }) => content),
        ['{"deleted":"n1"}'],
      );
    },
  );

  test(`${line.name}: a host that is restarted between the interrupt and its resume`, async () => {
    const state = memoryState();
    const options = { script: TWO, state, agui: { mode: "interrupt" } } as const;
    const first = await startHost(line, options);
    const person = asking(first);
    await person.run({ runId: "r1" });
    assert.deepEqual(openIds(person), ["c1", "c2"]);
    await first.close();

    await withHost(line, options, async (second) => {
      assert.deepEqual(openIds(await reload(second)), ["c1", "c2"]);
      person.agent.url = `${second.url}/agui`;
      await resume(person, "r2", yes("c1"), no("c2"));
      assert.deepEqual([outcome(person), openIds(person)], ["success", []]);
      assert.deepEqual([first.ran, second.ran, second.logs], [[], ["delete n1"], []]);
      assert.deepEqual(await second.pending(), []);
    });
  });
}
