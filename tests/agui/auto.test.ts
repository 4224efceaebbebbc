// Auto mode, the default: the run stays open for a while, then ends with the interrupts that are left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../shared/waiting.ts";
import { asking, type Front, openIds, reload, running, said, shownCards } from "./client.ts";
import { type Host, type HostOptions, withHost } from "./host.ts";
import { LINES } from "./lines.ts";
import { latest, no, ONE, outcome, results, resume, TWO, tried, yes } from "./parked.ts";
import { ASKED, answered, called, done, stored } from "./thread.ts";

/** A run that has opened so many cards. */
async function opened(
  host: Host,
  cards: number,
): Promise<{ person: Front; over: Promise<void>; isOver: () => boolean }> {
  const person = asking(host);
  let ended = false;
  const over = person.run({ runId: "r1" }).finally(() => {
    ended = true;
  });
  await until(() => person.cards.length === cards);
  return { person, over, isOver: () => ended };
}

for (const line of LINES) {
  const auto = (what: string, options: HostOptions, body: (host: Host) => Promise<void>) =>
    test(`${line.name}: ${what}`, () =>
      withHost(line, { ...options, agui: { mode: undefined, ...options.agui } }, body));

  auto("the window is 30 seconds wide, and the card is the same on both sides", { script: ONE }, async (host) => {
    const { person, over, isOver } = await opened(host, 1);
    await host.clock.advance(29_999);
    const [before] = await host.pending();
    assert.deepEqual([before?.live, isOver()], [true, false]);
    await host.clock.advance(1);
    await over;
    assert.deepEqual([outcome(person), openIds(person)], ["interrupt", ["c1"]]);
    assert.deepEqual(await host.pending(), [{ ...before, live: false }]);
    assert.deepEqual([host.ran, host.events, host.logs, person.settled()], [[], [], [], []]);
    await resume(person, "r2", yes("c1"));
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
    assert.deepEqual(results(person), [["c1", '{"deleted":"n1"}']]);
    assert.ok(!latest(person).some(({ type }) => type === "TOOL_CALL_START"));
  });

  auto("`liveWindowMs` is an option", { script: ONE, agui: { liveWindowMs: 5_000 } }, async (host) => {
    const { person, over, isOver } = await opened(host, 1);
    await host.clock.advance(4_999);
    assert.deepEqual([(await host.pending())[0]?.live, isOver()], [true, false]);
    await host.clock.advance(1);
    await over;
    assert.equal(outcome(person), "interrupt");
  });

  auto("an answer in the window is live, and the window leaves nothing behind", { script: ONE }, async (host) => {
    const { person, over } = await opened(host, 1);
    const { status, body } = await host.decide("c1", { approved: true });
    assert.deepEqual([status, body.path, body.status], [200, "live", "approved"]);
    await over;
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
    await host.clock.advance(60_000);
    assert.deepEqual([await host.pending(), host.logs], [[], []]);
  });

  auto("one card is answered in the window, the other after it", { script: TWO }, async (host) => {
    const { person, over } = await opened(host, 2);
    assert.equal((await host.decide("c1", { approved: true })).body.path, "live");
    await until(() => results(person).length === 1);
    await host.clock.advance(30_000);
    await over;
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["interrupt", ["c2"], ["delete n1"]]);
    await resume(person, "r2", no("c2"));
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], ["delete n1"]]);
    assert.deepEqual(
      results(person).map(([id]) => id),
      ["c2"],
    );
  });

  auto("an answer by POST after the window is carried out without the client", { script: ONE }, async (host) => {
    const { person, over } = await opened(host, 1);
    await host.clock.advance(30_000);
    await over;
    assert.deepEqual(openIds(person), ["c1"]);
    const { status, body } = await host.decide("c1", { approved: true });
    assert.deepEqual([status, body.path, body.status], [200, "recovery", "approved"]);
    await until(async () => running(await reload(host)) === false, "the gateway's own run ends");
    const after = await reload(host);
    assert.deepEqual([openIds(after), host.ran, shownCards(after)], [[], ["delete n1"], ["c1 approved"]]);
    const came = [ASKED, called("c1", "delete_note", { id: "n1" }), answered("c1", { deleted: "n1" })];
    const expected = stored(...came, done("")).map(({ role, content }) => [role, content]);
    assert.deepEqual(
      said(after).map(({ role, content }) => [role, content]),
      expected,
    );
  });

  auto("an answer and the end of the window at once: one execution, one result", { script: ONE }, async (host) => {
    const { person, over } = await opened(host, 1);
    const answer = host.decide("c1", { approved: true });
    await host.clock.advance(30_000);
    const { status, body } = await answer;
    assert.deepEqual([status, body.status], [200, "approved"]);
    await over;
    await until(async () => running(await reload(host)) === false && host.ran.length === 1);
    if (outcome(person) === "interrupt") await until(async () => (await tried(person)) === undefined);
    assert.deepEqual([openIds(person), host.ran], [[], ["delete n1"]]);
    const tools = person.agent.messages.filter(({ role }) => role === "tool");
    assert.deepEqual(
      tools.map(({ content }) => content),
      ['{"deleted":"n1"}'],
    );
  });

  auto("a deadline inside the window", { script: ONE, gate: { timeoutMs: 10_000 } }, async (host) => {
    const { person, over } = await opened(host, 1);
    await host.clock.advance(10_000);
    await over;
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], []]);
    assert.deepEqual(person.settled(), [["c1", "expired"]]);
  });

  auto("a deadline after the window", { script: ONE, gate: { timeoutMs: 40_000 } }, async (host) => {
    const { person, over } = await opened(host, 1);
    await host.clock.advance(30_000);
    await over;
    assert.equal(outcome(person), "interrupt");
    await host.clock.advance(10_000);
    assert.deepEqual(await host.pending(), []);
    await resume(person, "r2", yes("c1"));
    assert.deepEqual([outcome(person), openIds(person), host.ran], ["success", [], []]);
    assert.deepEqual(
      host.events.map(({ basis }) => basis),
      ["expired"],
    );
  });

  auto("a cancel in the window", { script: ONE }, async (host) => {
    const { person, over } = await opened(host, 1);
    assert.equal((await host.post("/agui/cancel", { threadId: "t1" })).status, 200);
    await over;
    assert.deepEqual(
      [outcome(person), person.settled()],
      [line.declares ? "cancelled" : "success", [["c1", "canceled"]]],
    );
    await host.clock.advance(60_000);
    assert.deepEqual([await host.pending(), host.ran, host.logs], [[], [], []]);
  });
}
