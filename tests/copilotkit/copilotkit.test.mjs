// CopilotKit's runtime and client over a socket, mounted as the README says; its reports of use are off.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { as, compile, decide, pending, readmeFiles, start } from "../hosts/example.mjs";
import { Tab } from "./tab.mjs";

const patience = { timeout: 60_000 };
let host;
before(async (t) => {
  const { "gate.ts": gate, "copilotkit.ts": copilotkit } = readmeFiles();
  const folder = compile(t, import.meta.dirname, { "gate.ts": gate, "copilotkit.ts": copilotkit });
  host = await start(t, join(folder, "copilotkit.js"), {
    preload: [new URL("offline.mjs", import.meta.url)],
    env: { COPILOTKIT_TELEMETRY_DISABLED: "true" },
  });
}, patience);

const statuses = (tab) => tab.cards.map(({ status }) => status);

test("approve", patience, async () => {
  const tab = new Tab(host, "ann", "approve");
  const run = tab.run();
  const card = { threadId: "approve", ...(await tab.card("pending")) };
  assert.equal((await decide(host, undefined, card)).status, 401);
  const onlooker = new Tab(host, "bob", "approve");
  const watching = onlooker.connect();
  await onlooker.card("pending");
  assert.equal((await decide(host, "bob", card)).status, 404, "seeing a card is not answering it");
  assert.deepEqual(await decide(host, "ann", card), { status: 200, path: "live" });
  await Promise.all([run, watching]);
  assert.deepEqual(statuses(tab), ["pending", "approved"]);
  assert.deepEqual(tab.results, [{ deleted: "n1", calls: 1 }]);
});

test("deny", patience, async () => {
  const tab = new Tab(host, "ann", "deny");
  const run = tab.run();
  const { confirmationId } = await tab.card("pending");
  assert.equal((await decide(host, "ann", { threadId: "deny", confirmationId, approved: false })).status, 200);
  await run;
  assert.deepEqual(statuses(tab), ["pending", "denied"]);
  assert.equal(tab.results[0].status, "denied");
});

test("Stop settles what waits, and the thread goes on", patience, async () => {
  const tab = new Tab(host, "ann", "stop");
  const run = tab.run();
  const { confirmationId } = await tab.card("pending");
  tab.stop();
  await run;
  assert.deepEqual(statuses(tab), ["pending", "canceled"]);
  assert.equal(tab.results[0].status, "denied");
  assert.deepEqual(await pending(host, "ann", "stop"), []);
  assert.equal((await decide(host, "ann", { threadId: "stop", confirmationId })).status, 409);

  const again = new Tab(host, "ann", "stop");
  const second = again.run();
  const card = await again.card("pending");
  assert.notEqual(card.confirmationId, confirmationId);
  assert.equal((await decide(host, "ann", { threadId: "stop", ...card })).status, 200);
  await second;
  // The second call there ever was: neither the denied one nor the stopped one ran.
  assert.deepEqual(again.results, [{ deleted: "n1", calls: 2 }]);
});

test("tabs that open later see the card as it is and as it becomes", patience, async () => {
  const first = new Tab(host, "ann", "tabs");
  const run = first.run();
  const { confirmationId } = await first.card("pending");
  const whileAsked = new Tab(host, "ann", "tabs");
  const connection = whileAsked.connect();
  assert.deepEqual(await whileAsked.card("pending"), { confirmationId, status: "pending" });
  assert.equal((await decide(host, "ann", { threadId: "tabs", confirmationId })).status, 200);
  await Promise.all([run, connection]);
  const afterwards = new Tab(host, "ann", "tabs");
  await afterwards.connect();
  for (const tab of [first, whileAsked, afterwards]) {
    const shown = ["pending", "approved"].map((status) => ({ confirmationId, status }));
    assert.deepEqual([tab.cards, tab.results], [shown, first.results]);
  }
});

test("a reload while the card is open: the run goes on and the new tab answers", patience, async () => {
  const closed = new Tab(host, "ann", "reload");
  const run = closed.run();
  const { confirmationId } = await closed.card("pending");
  closed.close();
  await run;
  const tab = new Tab(host, "ann", "reload");
  const connection = tab.connect();
  assert.deepEqual(await tab.card("pending"), { confirmationId, status: "pending" });
  assert.deepEqual(await decide(host, "ann", { threadId: "reload", confirmationId }), { status: 200, path: "live" });
  await connection;
  assert.deepEqual([statuses(closed), statuses(tab)], [["pending"], ["pending", "approved"]]);
  assert.deepEqual(tab.results, [{ deleted: "n1", calls: 4 }]);
});

test("the runtime is only for those who are logged in, and says that people approve", patience, async () => {
  const info = (user) => fetch(`${host.base}/api/copilotkit/info`, { headers: as(host, user) });
  assert.equal((await info(undefined)).status, 401);
  const { agents } = await (await info("ann")).json();
  assert.deepEqual(agents.notes.capabilities.humanInTheLoop, { supported: true, approvals: true });
});
