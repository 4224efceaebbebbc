import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway, runFinished, runStarted, type Script, toolCall, until } from "./agui-fakes.ts";
import { followWith } from "./agui-followers.ts";
import { historyIds, instance, memoryState } from "./agui-instances.ts";
import { OWNER, quick, snapshot, user } from "./agui-mount.ts";

const idle = () => quick;

/** Speaks as often as it is told, 100 characters each time. */
function speaking() {
  let say: (times: number) => void = () => {};
  let end = () => {};
  let call: (id: string) => void = () => {};
  const script: Script = (each, emit) => {
    emit(runStarted(each));
    emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
    say = (times) => {
      for (let n = 0; n < times; n++)
        emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: `${n}`.padEnd(100, ".") });
    };
    call = (id) => {
      for (const event of toolCall(id, "read_note")) emit(event);
    };
    return new Promise((resolve) => {
      end = () => {
        emit({ type: "TEXT_MESSAGE_END", messageId: "m1" });
        emit(runFinished(each));
        resolve();
      };
    });
  };
  return { script, say: (times: number) => say(times), call: (id: string) => call(id), end: () => end() };
}

test("stored events: a thousand deltas are one stored event; what is over is not kept", async () => {
  const shared = memoryState();
  const { script, say, end } = speaking();
  const a = instance(
    shared,
    (_) => (each, emit, self) => (each.runId === "r1" ? script(each, emit, self) : quick(each, emit, self)),
  );
  const batches = () => a.tampering.writes.filter((id) => id.startsWith("h:t:"));
  const stream = await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().length === 2);
  await a.clock.advance(1000);
  await until(() => a.tampering.writes.length >= 3);
  const before = batches().length;
  say(1000);
  await until(() => stream.types().length === 1002);
  assert.equal(batches().length, before);
  await a.clock.advance(1000);
  await until(() => batches().length === before + 1);
  const stored = (await shared.list(OWNER, "history")).at(-1);
  const { events } = JSON.parse(stored?.record ?? "") as { events: [number, { delta: string }][] };
  assert.equal(events.length, 1);
  assert.equal(events[0]?.[1].delta.length, 100_000);
  await a.clock.advance(6000);
  end();
  await stream.done;
  const kept = async () => (await historyIds(shared)).filter((id) => id.startsWith("h:t:"));
  await until(async () => (await kept()).length === 1, "only the last batch is kept");
  const [last = ""] = await kept();
  await (await a.start({ runId: "r2", messages: [user("u2")] })).done;
  await until(async () => !(await kept()).includes(last), "the next run deletes it");
});

async function withGap(polls: boolean) {
  const shared = memoryState();
  const { script, say, call, end } = speaking();
  const a = instance(shared, () => script);
  const b = instance(shared, idle, { polls });
  const stream = await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().length === 2);
  const tick = async () => {
    await a.clock.advance(1000);
    return true;
  };
  await until(async () => (await tick()) && (await historyIds(shared)).some((id) => id.startsWith("h:t:")));
  const follower = followWith(b.handler);
  await until(() => follower.types().includes("TEXT_MESSAGE_START"));
  const standing = gateway();
  let waiting = false;
  a.tampering.beforeWrite = (id) => {
    waiting ||= id.startsWith("h:t:");
    return waiting ? standing.passed : undefined;
  };
  say(1);
  await until(async () => (await tick()) && waiting);
  say(12_000);
  await until(() => stream.types().length === 12_003);
  a.tampering.beforeWrite = undefined;
  const batches = () => a.tampering.writes.filter((id) => id.startsWith("h:t:")).length;
  const before = batches();
  standing.open();
  say(1);
  await until(async () => (await tick()) && batches() >= before + 2);
  assert.ok(follower.types().length < 10, "what is missing is not passed over");
  const complete = async () => {
    await Promise.all([follower.done, stream.done]);
    const said = follower.agent.messages.find(({ id }) => id === "m1")?.content;
    assert.equal(String(said).length, 100 * 12_002);
  };
  return { a, b, stream, follower, tick, call, end, complete };
}

test("stored events: a store that stands costs the run nothing; the follower goes on from a newer snapshot", async () => {
  const { follower, tick, call, end, complete } = await withGap(false);
  call("c1");
  await until(
    async () => (await tick()) && follower.types().filter((type) => type === "MESSAGES_SNAPSHOT").length === 2,
  );
  await until(() => follower.types().at(-1) === "TEXT_MESSAGE_START");
  end();
  await until(async () => (await tick()) && follower.types().at(-1) === "RUN_FINISHED");
  await complete();
});

test("stored events: what a follower missed and the end come to it at once", async () => {
  const { b, stream, tick, end, complete } = await withGap(true);
  end();
  await until(async () => (await tick()) && stream.types().at(-1) === "RUN_FINISHED");
  await b.clock.advance(1000);
  await complete();
});

test("stored events: a store that fails never fails the run", async () => {
  const { script, say, end } = speaking();
  const a = instance(memoryState(), () => script);
  a.tampering.beforeWrite = (id) => (id === "h:messages" ? undefined : Promise.reject(new Error("the disk is full")));
  const stream = await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().length === 2);
  say(3);
  for (let n = 0; n < 6; n++) await a.clock.advance(1000);
  end();
  await stream.done;
  assert.equal(stream.types().at(-1), "RUN_FINISHED");
  assert.ok(a.logs.some((message) => /not stored for followers/.test(message)));
});

test("stored events: what is in the snapshot is not told again", async () => {
  const shared = memoryState();
  const { script, say, call, end } = speaking();
  const a = instance(shared, () => script);
  const b = instance(shared, idle);
  const stream = await a.start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().length === 2 && a.tampering.writes.includes("h:run"));
  const held = gateway();
  a.tampering.beforeWrite = (id) => (id === "h:messages" ? held.passed : undefined);
  call("c1");
  call("c2");
  say(1);
  await until(() => stream.types().at(-1) === "TEXT_MESSAGE_CONTENT");
  held.open();
  await until(async () => (await shared.read(OWNER, "h:messages"))?.record.includes("0..."));
  say(1);
  await until(() => stream.types().filter((type) => type === "TEXT_MESSAGE_CONTENT").length === 2);
  const follower = followWith(b.handler);
  await until(() => follower.types().includes("TEXT_MESSAGE_START"));
  end();
  await Promise.all([stream.done, follower.done]);
  const said = follower.agent.messages.find(({ id }) => id === "m1")?.content;
  assert.equal(String(said).length, 200);
});

test("stored events: where the messages cannot be stored, the follower has the whole run", async () => {
  const shared = memoryState();
  const { script, say, end } = speaking();
  const a = instance(shared, () => (each, emit, self) => (each.runId === "r1" ? quick : script)(each, emit, self));
  const b = instance(shared, idle);
  await (await a.start({ runId: "r1", messages: [user("u1")] })).done;
  a.tampering.beforeWrite = (id) => (id === "h:messages" ? Promise.reject(new Error("the disk is full")) : undefined);
  const stream = await a.start({ runId: "r2", messages: [user("u1"), user("u2")] });
  await until(() => stream.types().length === 2);
  say(1);
  await until(
    async () => (await snapshot(b.handler)).result && a.tampering.writes.filter((id) => id === "h:run").length > 2,
  );
  const follower = followWith(b.handler);
  await until(async () => {
    await a.clock.advance(1000);
    return follower.types().includes("TEXT_MESSAGE_CONTENT");
  });
  end();
  await Promise.all([stream.done, follower.done]);
  assert.equal(String(follower.agent.messages.at(-1)?.content).length, 100);
});
