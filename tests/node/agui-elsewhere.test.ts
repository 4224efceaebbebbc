import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import type { Gate } from "ackgate";
import { postgresState } from "ackgate/postgres";
import { gateway, post, runFinished, runStarted, type Script, say, toolCall, toolResult, until } from "./agui-fakes.ts";
import { followWith } from "./agui-followers.ts";
import { instance, memoryState } from "./agui-instances.ts";
import { inTheMiddle, sawTheMiddle } from "./agui-middle.ts";
import { OWNER, quick, refused, snapshot, user } from "./agui-mount.ts";

const idle = () => quick;

const client = new PGlite();
before(() => client.waitReady);
after(() => client.close());

for (const [how, shared, polls] of [
  ["which is told", memoryState(), false],
  ["which polls", memoryState(), true],
  ["over PostgreSQL", postgresState(client), false],
] as const) {
  test(`elsewhere: a run is followed from another host, ${how}`, async () => {
    const go = gateway();
    const a = instance(shared, () => inTheMiddle(go.passed));
    const b = instance(shared, idle, { polls });
    const stream = await a.start({ runId: "r1", messages: [user("u1")] });
    await until(() => stream.types().filter((type) => type === "TOOL_CALL_ARGS").length === 4);
    const stored = async () => JSON.stringify(await shared.list(OWNER, "history"));
    const running = async () => ((await snapshot(b.handler)).result as { running: boolean }).running;
    await until(async () => {
      await a.clock.advance(1000);
      return (await stored()).includes("c2") && (await running());
    });
    const follower = followWith(b.handler);
    const half = [
      { id: "m1", role: "assistant", content: "H" },
      { id: "p1", role: "reasoning", content: "I" },
    ];
    const again = followWith(b.handler, { messages: half as never });
    const tick = async () => {
      await a.clock.advance(1000);
      await b.clock.advance(1000);
      return true;
    };
    const halfway = ({ agent }: typeof follower) => {
      const text = JSON.stringify(agent.messages);
      return ["I wo", '"Hel"', '"{\\"id"', '"{\\"id\\""'].every((part) => text.includes(part));
    };
    await until(async () => (await tick()) && halfway(follower) && halfway(again));
    assert.ok(!stream.types().includes("TEXT_MESSAGE_END"), "it is followed while it goes on");
    go.open();
    await until(
      async () =>
        (await tick()) && follower.types().at(-1) === "RUN_FINISHED" && again.types().at(-1) === "RUN_FINISHED",
    );
    await Promise.all([follower.done, again.done, stream.done]);
    sawTheMiddle(follower.agent);
    sawTheMiddle(again.agent);
    const end = { type: "RUN_FINISHED", threadId: "t", runId: "follow", result: { n: 1 } };
    assert.deepEqual(
      follower.events.filter(({ type }) => type.startsWith("RUN_")),
      [{ type: "RUN_STARTED", threadId: "t", runId: "follow" }, end],
    );
  });
}

/** Says half a sentence, asks for a tool, and says what came of it; a recovered run says so too. */
const deleting =
  (gate: Gate): Script =>
  async (each, emit) => {
    emit(runStarted(each));
    if (each.messages.some(({ role }) => role === "tool")) {
      for (const event of say("m2", "It is gone.")) emit(event);
      return emit(runFinished(each));
    }
    emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
    emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "I del" });
    for (const event of toolCall("c1", "delete_note", '{"id":1}', "m1")) emit(event);
    const { content } = await gate.execute({ toolCallId: "c1", toolName: "delete_note", arguments: '{"id":1}' });
    emit(toolResult("c1", content));
    emit({ type: "TEXT_MESSAGE_END", messageId: "m1" });
    emit(runFinished(each));
  };

const statusesIn = (follower: ReturnType<typeof followWith>) =>
  follower.agent.messages.flatMap(({ role, content }) =>
    role === "activity" ? [(content as unknown as { value: { status: string } }).value.status] : [],
  );

async function asking() {
  const shared = memoryState();
  const a = instance(shared, deleting);
  const b = instance(shared, deleting);
  const stream = await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().includes("CUSTOM"));
  const follower = followWith(b.handler);
  await until(() => statusesIn(follower).includes("pending") && follower.types().includes("TEXT_MESSAGE_START"));
  return { shared, a, b, stream, follower };
}

test("elsewhere: a card is decided there, and the follower sees what comes of it here", async () => {
  const { a, b, stream, follower } = await asking();
  const decided = b.decide("c1");
  const tick = async () => {
    await a.clock.advance(1000);
    return true;
  };
  await until(async () => (await tick()) && follower.types().at(-1) === "RUN_FINISHED");
  assert.equal((await decided).path, "live");
  await Promise.all([follower.done, stream.done]);
  assert.deepEqual([a.ran, b.ran], [["delete 1"], []]);
  assert.deepEqual(statusesIn(follower), ["approved"]);
  const statuses = follower.events.flatMap(({ type, value }) =>
    type === "CUSTOM" ? [(value as { status: string }).status] : [],
  );
  assert.deepEqual(statuses.at(-1), "approved");
  assert.equal(follower.agent.messages.find(({ role }) => role === "tool")?.content, "1");
});

test("elsewhere: a card is there at once", async () => {
  const shared = memoryState();
  const go = gateway();
  const a = instance(shared, (gate) => async (each, emit, self) => {
    await go.passed;
    return deleting(gate)(each, emit, self);
  });
  const b = instance(shared, idle);
  await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => a.tampering.writes.includes("h:run"));
  const follower = followWith(b.handler);
  await until(() => follower.types().includes("MESSAGES_SNAPSHOT"));
  go.open();
  await until(() => follower.types().includes("CUSTOM"), "no clock was moved");
});

test("elsewhere: the host dies after the decision; the follower lives through the recovery", async () => {
  const { a, b, follower } = await asking();
  a.tampering.stands = new Promise(() => {});
  const decided = b.decide("c1");
  await until(() => b.tampering.writes.includes("c:c1"));
  b.tampering.older = 3_600_000;
  await until(async () => {
    await b.clock.advance(1000);
    return follower.types().at(-1) === "RUN_FINISHED";
  });
  assert.equal((await decided).path, "recovery");
  await follower.done;
  assert.deepEqual([a.ran, b.ran], [[], ["delete 1"]]);
  assert.deepEqual(statusesIn(follower), ["approved"]);
  assert.equal(follower.agent.messages.at(-1)?.content, "It is gone.");
  const ends = follower.events.filter(({ type }) => type.startsWith("RUN_"));
  assert.deepEqual(ends, [
    { type: "RUN_STARTED", threadId: "t", runId: "follow" },
    { type: "RUN_FINISHED", threadId: "t", runId: "follow" },
  ]);
});

test("elsewhere: the host dies with nothing decided; the follower hears that the run is lost", async () => {
  const { a, b, follower } = await asking();
  a.tampering.stands = new Promise(() => {});
  b.tampering.older = 3_600_000;
  await until(async () => {
    await b.clock.advance(1000);
    return follower.types().at(-1) === "RUN_ERROR";
  });
  await follower.done.catch(() => undefined);
  assert.match(String(follower.events.at(-1)?.message), /without an end/);
  assert.deepEqual(statusesIn(follower), ["pending"], "the card can still be answered");
  assert.deepEqual((await snapshot(b.handler)).result, { running: false });
});

test("elsewhere: a gate that closes ends its follows", async () => {
  const { b, follower } = await asking();
  await b.gate.close();
  await follower.done.catch(() => undefined);
  assert.deepEqual([follower.types().at(-1), follower.events.at(-1)?.code], ["RUN_ERROR", "closed"]);
});

test("elsewhere: a gate that closes ends its follows, also where no card is open", async () => {
  const shared = memoryState();
  const a = instance(shared, () => inTheMiddle(new Promise(() => {})));
  const b = instance(shared, idle);
  const stream = await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().includes("TOOL_CALL_ARGS"));
  const follower = followWith(b.handler);
  await until(() => follower.types().includes("TEXT_MESSAGE_START"));
  await b.gate.close();
  await follower.done.catch(() => undefined);
  assert.deepEqual([follower.types().at(-1), follower.events.at(-1)?.code], ["RUN_ERROR", "closed"]);
});

test("elsewhere: a record of another kind is an error, and stays as it is", async () => {
  for (const record of ["{", '{"v":2,"run":"x"}', '{"v":1}']) {
    const shared = memoryState();
    await shared.write(OWNER, "h:run", record, undefined);
    const a = instance(shared, idle);
    const stream = await a.start({ runId: "r1", messages: [user("u1")] });
    await stream.done;
    assert.equal(stream.types().at(-1), "RUN_FINISHED");
    const response = await a.handler(post("/agui/history", { threadId: "t", runId: "h" }));
    await refused(response, 500, "state_corrupt");
    assert.equal((await shared.read(OWNER, "h:run"))?.record, record);
  }
});
