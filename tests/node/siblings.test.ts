// A remembered approval answers the session's other waiting questions that it covers, where the host wants that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPolicy, type GateOptions, memoryGrants, memoryState, type PendingItem } from "ackgate";
import { testGate } from "ackgate/testing";
import { until } from "../shared/waiting.ts";

const ANN = { context: { user: "ann" } };
const tools = { run: ({ command }: { command: string }) => `ran ${command}` };
const policy = createPolicy({ version: 1, tools: { run: { shell: true } }, ask: [] });

function gateOf(options: Partial<GateOptions> = {}) {
  const gate = testGate({
    tools,
    policy,
    defaultTier: "confirm",
    user: "ann",
    grants: memoryGrants(),
    answers: { run: "ignore" },
    settleSiblings: true,
    ...(options as object),
  });
  const call = (id: string, command: string) =>
    gate.execute({ sessionId: "s1", toolCallId: id, toolName: "run", arguments: { command } }, ANN);
  const open = async (count: number): Promise<PendingItem[]> => {
    let items: PendingItem[] = [];
    await until(async () => {
      items = await gate.pending("s1", ANN);
      return items.length === count;
    });
    return items;
  };
  const remember = (confirmationId: string, content: string, more = {}) =>
    gate.decide(
      { sessionId: "s1", confirmationId, approved: true, remember: "session", grant: { content, ...more } },
      ANN,
    );
  return { gate, call, open, remember };
}

const ids = (items: readonly PendingItem[]) => items.map(({ confirmationId }) => confirmationId).sort();

test("what the grant covers is carried out by the run that waits for it, with its own event and audit record", async () => {
  const { gate, call, open, remember } = gateOf();
  const calls = [call("c1", "git status"), call("c2", "git status -s"), call("c3", "npm publish")];
  const items = await open(3);
  const content = items[0]?.suggestions?.find(({ content }) => content.startsWith("git status"))?.content ?? "";
  await remember("c1", content);
  assert.deepEqual([(await calls[0])?.content, (await calls[1])?.content], ['"ran git status"', '"ran git status -s"']);
  assert.deepEqual(ids(await open(1)), ["c3"], "what it does not cover stays open");
  assert.deepEqual(
    gate.recorded.events.map((event) => [event.call.toolCallId, event.allowed, event.basis]),
    [["c2", true, "grant"]],
  );
  const audit = gate.recorded.audit.map(({ call, basis, decidedBy, execution }) => [
    call.toolCallId,
    basis,
    decidedBy,
    execution,
  ]);
  assert.deepEqual(audit.sort(), [
    ["c1", "human", "ann", "ran"],
    ["c2", "grant", undefined, "ran"],
  ]);
  await gate.decide({ sessionId: "s1", confirmationId: "c3", approved: false }, ANN);
  await calls[2];
});

test("without the option every sibling is asked about by itself", async () => {
  const { gate, call, open, remember } = gateOf({ settleSiblings: false });
  const calls = [call("c1", "git status"), call("c2", "git status -s")];
  const items = await open(2);
  const content = items[0]?.suggestions?.find(({ content }) => content.startsWith("git status"))?.content ?? "";
  await remember("c1", content);
  await calls[0];
  assert.deepEqual(ids(await open(1)), ["c2"]);
  await gate.decide({ sessionId: "s1", confirmationId: "c2", approved: true }, ANN);
  assert.equal((await calls[1])?.denied, false);
});

test("what a source insists on a person for stays open", async () => {
  const forced = (command: unknown) => command === "git status -s";
  const { gate, call, open, remember } = gateOf({
    sources: {
      careful: ({ input }: { input: { command?: unknown } }) => (forced(input.command) ? "confirm" : "abstain"),
    },
  } as Partial<GateOptions>);
  const calls = [call("c1", "git status"), call("c2", "git status -s")];
  const items = await open(2);
  assert.deepEqual(items.map(({ confirmationId, forced }) => [confirmationId, forced]).sort(), [
    ["c1", false],
    ["c2", true],
  ]);
  const first = items.find(({ confirmationId }) => confirmationId === "c1");
  const content = first?.suggestions?.find(({ content }) => content.startsWith("git status"))?.content ?? "";
  await remember("c1", content);
  await calls[0];
  assert.deepEqual(ids(await open(1)), ["c2"]);
  await gate.decide({ sessionId: "s1", confirmationId: "c2", approved: false }, ANN);
  assert.equal((await calls[1])?.denied, true);
});

test("each sibling takes a use of its own: a grant with one answers one", async () => {
  const { gate, call, open, remember } = gateOf();
  const calls = [call("c1", "git status"), call("c2", "git status -s"), call("c3", "git status -v")];
  const items = await open(3);
  const content = items[0]?.suggestions?.find(({ content }) => content.startsWith("git status"))?.content ?? "";
  await remember("c1", content, { usesLeft: 1 });
  await calls[0];
  const [left] = await open(1);
  assert.equal(gate.recorded.events.length, 1);
  await gate.decide({ sessionId: "s1", confirmationId: left?.confirmationId ?? "", approved: false }, ANN);
  assert.equal((await Promise.all(calls)).filter(({ denied }) => denied).length, 1);
});

test("a sibling that waits at another instance is carried out there", async () => {
  const shared = { state: memoryState(), grants: memoryGrants() };
  const [a, b] = [gateOf(shared), gateOf(shared)];
  const first = a.call("c1", "git status");
  await a.open(1);
  const second = b.call("c2", "git status -s");
  const items = await a.open(2);
  const content = items[0]?.suggestions?.find(({ content }) => content.startsWith("git status"))?.content ?? "";
  await a.remember("c1", content);
  assert.equal((await first).content, '"ran git status"');
  assert.equal((await second).content, '"ran git status -s"');
  assert.deepEqual([a.gate.recorded.events.length, b.gate.recorded.events.length], [0, 1]);
});

test("a policy that denies it by now has the last word", async () => {
  const { gate, call, open, remember } = gateOf();
  const calls = [call("c1", "git status"), call("c2", "git status -s")];
  const items = await open(2);
  const content = items[0]?.suggestions?.find(({ content }) => content.startsWith("git status"))?.content ?? "";
  gate.setPolicy(createPolicy({ version: 1, tools: { run: { shell: true } }, deny: ["run(git status -s)"] }));
  await remember("c1", content);
  assert.equal((await calls[0])?.denied, false);
  assert.deepEqual(ids(await open(1)), ["c2"]);
  await gate.decide({ sessionId: "s1", confirmationId: "c2", approved: true }, ANN);
  assert.equal((await calls[1])?.denied, true);
});
