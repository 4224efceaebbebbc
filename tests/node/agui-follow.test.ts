import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import {
  card,
  fakeGate,
  follow,
  gateway,
  post,
  runFinished,
  runStarted,
  type Script,
  say,
  toolCall,
  until,
} from "./agui-fakes.ts";
import { asked, followWith } from "./agui-followers.ts";
import { inTheMiddle, sawTheMiddle } from "./agui-middle.ts";
import { mount, OWNER, quick, refused, user, waiting } from "./agui-mount.ts";

test("follow: who joins in the middle of everything sees it to its end, once", async () => {
  const go = gateway();
  const { start, handler } = mount(inTheMiddle(go.passed));
  const stream = await start({ runId: "r1", messages: [user("u1")] });
  await until(() => stream.types().filter((type) => type === "TOOL_CALL_ARGS").length === 4);
  const fresh = followWith(handler);
  // A client that lost its stream has a part of it.
  const half = [
    user("u1"),
    { id: "m1", role: "assistant", content: "He" },
    { id: "p1", role: "reasoning", content: "I" },
  ];
  const again = followWith(handler, { messages: half as never });
  const raw = follow(await handler(post("/agui/history", asked("1.0", true))));
  await until(() => raw.types().includes("TOOL_CALL_ARGS") && fresh.types().includes("TOOL_CALL_ARGS"));
  await until(() => again.types().includes("TOOL_CALL_ARGS"));
  go.open();
  await Promise.all([fresh.done, again.done, raw.done]);
  sawTheMiddle(fresh.agent);
  sawTheMiddle(again.agent);
  assert.deepEqual(raw.events.at(0), { type: "RUN_STARTED", threadId: "t", runId: "h1" });
  assert.deepEqual(raw.events.at(-1), { type: "RUN_FINISHED", threadId: "t", runId: "h1", result: { n: 1 } });
  assert.deepEqual(raw.types().slice(0, 10), [
    "RUN_STARTED",
    "MESSAGES_SNAPSHOT",
    "STEP_STARTED",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "TEXT_MESSAGE_START",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
  ]);
});

test("follow: joining between two chunks", async () => {
  const steps = [gateway(), gateway()];
  const { start, handler } = mount(async (each, emit) => {
    emit(runStarted(each));
    emit({ type: "TEXT_MESSAGE_CHUNK", messageId: "m1", role: "assistant", delta: "Hel" });
    await steps[0]?.passed;
    emit({ type: "TEXT_MESSAGE_CHUNK", delta: "lo" });
    emit({ type: "TOOL_CALL_CHUNK", toolCallId: "c1", toolCallName: "read_note", delta: '{"id"' });
    emit({ type: "RAW", event: 1 });
    await steps[1]?.passed;
    emit({ type: "TOOL_CALL_CHUNK", delta: ":1}" });
    emit(runFinished(each));
  });
  const stream = await start({ runId: "r1" });
  await until(() => stream.types().includes("TEXT_MESSAGE_CHUNK"));
  const inText = followWith(handler);
  await until(() => inText.types().includes("TEXT_MESSAGE_START"));
  steps[0]?.open();
  await until(() => stream.types().includes("RAW"));
  const inCall = followWith(handler);
  await until(() => inCall.types().includes("TOOL_CALL_ARGS"));
  steps[1]?.open();
  for (const { agent, done } of [inText, inCall]) {
    await done;
    const call = { id: "c1", type: "function", function: { name: "read_note", arguments: '{"id":1}' } };
    assert.deepEqual(agent.messages, [
      { id: "m1", role: "assistant", content: "Hello" },
      { id: "c1", role: "assistant", toolCalls: [call] },
    ]);
  }
});

test("follow: before the run has read its thread, the follower waits with it", async () => {
  const fake = fakeGate();
  const reading = gateway();
  const { start, handler } = mount(quick, {}, fake);
  fake.state.put(OWNER, "h:messages", JSON.stringify({ v: 1, messages: [user("u1")] }));
  const read = fake.state.read.bind(fake.state);
  fake.state.read = async (...given) => {
    await reading.passed;
    return read(...given);
  };
  const stream = await start({ runId: "r1", messages: [user("u1"), user("u2")] });
  const follower = followWith(handler);
  reading.open();
  await Promise.all([stream.done, follower.done]);
  assert.deepEqual(
    follower.agent.messages.map(({ id }) => id),
    ["u1", "u2", "m-r1"],
  );
});

test("follow: without an active run it is the history, and a word of another kind is refused", async () => {
  const { start, handler } = mount(quick);
  await (await start({ runId: "r1", messages: [user("u1")] })).done;
  const stream = follow(await handler(post("/agui/history", asked("1.0", true))));
  await stream.done;
  assert.deepEqual(stream.types(), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  assert.deepEqual(stream.events.at(-1)?.result, { running: false });
  for (const wrong of ["true", 1, {}]) {
    await refused(await handler(post("/agui/history", asked("1.0", wrong))), 400, "bad_request");
  }
});

test("follow: heartbeats while nothing happens; a client that leaves ends them", async () => {
  const go = gateway();
  const { start, handler, clock } = mount(async (each, emit) => {
    emit(runStarted(each));
    await go.passed;
    emit(runFinished(each));
  });
  const stream = await start({ runId: "r1" });
  await until(() => stream.events.length === 1);
  const follower = follow(await handler(post("/agui/history", asked("1.0", true))));
  await until(() => follower.types().includes("MESSAGES_SNAPSHOT"));
  clock.advance(15_000);
  await until(() => follower.heartbeats === 1);
  const left = follow(await handler(post("/agui/history", asked("1.0", true))));
  await until(() => left.types().includes("MESSAGES_SNAPSHOT"));
  const waiting = clock.waiting;
  await left.leave();
  assert.equal(clock.waiting, waiting - 1);
  go.open();
  await Promise.all([stream.done, follower.done]);
  assert.equal(clock.waiting, 0);
});

test("follow: a failed run is its error, not a success", async () => {
  const go = gateway();
  const { start, handler } = mount(async (each, emit) => {
    emit(runStarted(each));
    emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
    await go.passed;
    throw new Error("the model is gone");
  });
  const stream = await start({ runId: "r1" });
  await until(() => stream.events.length === 2);
  const follower = follow(await handler(post("/agui/history", asked("0.0.x", true))));
  await until(() => follower.types().includes("TEXT_MESSAGE_START"));
  go.open();
  await follower.done;
  assert.deepEqual(follower.events.at(-1), { type: "RUN_ERROR", message: "the model is gone" });
});

const interrupts = [
  {
    id: "c1",
    reason: "tool_call",
    toolCallId: "c1",
    expiresAt: "2030-01-01T00:00:00.000Z",
    metadata: { ack: { v: 1 } },
  },
  { id: "c2", reason: "tool_call", toolCallId: "c2", metadata: { ack: { v: 1 } } },
  { id: "c3", reason: "tool_call", toolCallId: "c3", metadata: { ack: { v: 1 } } },
  { id: "g1", reason: "langgraph:interrupt" },
];
const interrupted: Script = (each, emit) => {
  emit(runStarted(each));
  for (const id of ["c1", "c2", "c3"]) for (const event of toolCall(id, "delete_note")) emit(event);
  emit({ ...runFinished(each), outcome: { type: "interrupt", interrupts } });
};

test("history: a reload restores the interrupts that are still open, for each line of clients", async () => {
  const fake = fakeGate();
  const go = gateway();
  const { start, handler } = mount(
    async (...given) => {
      if (given[0].runId === "r1") return interrupted(...given);
      await go.passed;
      return quick(...given);
    },
    {},
    fake,
  );
  await (await start({ runId: "r1" })).done;
  const at = Date.parse("2031-01-01T00:00:00Z");
  fake.answers.pending = [
    { confirmationId: "c1", status: "pending", expiresAt: at },
    { confirmationId: "c3", status: "approved" },
  ];
  const reloaded = followWith(handler);
  await reloaded.done;
  const open = { ...interrupts[0], expiresAt: "2031-01-01T00:00:00.000Z" };
  assert.deepEqual(reloaded.agent.pendingInterrupts, [open, interrupts[3]]);
  const older = follow(await handler(post("/agui/history", asked("0.0.x"))));
  await older.done;
  const { expiresAt: _, ...withoutDeadline } = open;
  assert.deepEqual(older.events.at(-1), {
    type: "RUN_FINISHED",
    threadId: "t",
    runId: "h1",
    result: { running: false },
    outcome: { type: "interrupt", interrupts: [withoutDeadline, interrupts[3]] },
  });
  const next = await start({ runId: "r2" });
  const meanwhile = follow(await handler(post("/agui/history", asked("1.0"))));
  await meanwhile.done;
  const end = meanwhile.events.at(-1);
  assert.deepEqual([end?.result, end?.outcome], [{ running: true }, undefined]);
  go.open();
  await next.done;
  const after = followWith(handler);
  await after.done;
  assert.deepEqual(after.agent.pendingInterrupts, []);
});

test("history: with nothing open any more the end is a plain one", async () => {
  const { start, handler } = mount((each, emit) => {
    emit(runStarted(each));
    emit({ ...runFinished(each), outcome: { type: "interrupt", interrupts: interrupts.slice(0, 1) } });
  });
  await (await start({ runId: "r1" })).done;
  const stream = follow(await handler(post("/agui/history", asked("1.0"))));
  await stream.done;
  assert.equal(stream.events.at(-1)?.outcome, undefined);
});

test("history: an error leaves the interrupts as they were, like the client does", async () => {
  const fake = fakeGate();
  const { start, handler } = mount(
    (...given) => {
      if (given[0].runId === "r1") return interrupted(...given);
      throw new Error("broken");
    },
    {},
    fake,
  );
  fake.answers.pending = [{ confirmationId: "c2", status: "pending" }];
  await (await start({ runId: "r1" })).done;
  await (await start({ runId: "r2" })).done;
  const stream = follow(await handler(post("/agui/history", asked("1.0"))));
  await stream.done;
  const left = interrupts.filter(({ id }) => id === "c2" || id === "g1");
  assert.deepEqual(stream.events.at(-1)?.outcome, { type: "interrupt", interrupts: left });
});

test("follow: the interrupts that a followed run ends with", async () => {
  const fake = fakeGate();
  const go = gateway();
  fake.answers.pending = [{ confirmationId: "c2", status: "pending" }];
  const { start, handler } = mount(
    async (each, emit, self) => {
      await go.passed;
      return interrupted(each, emit, self);
    },
    {},
    fake,
  );
  await start({ runId: "r1" });
  const follower = followWith(handler);
  await until(() => follower.types().includes("MESSAGES_SNAPSHOT"));
  go.open();
  await follower.done;
  assert.deepEqual(follower.agent.pendingInterrupts, [interrupts[1], interrupts[3]]);
});

test("history: custom events are activity messages; a card has one, with its newest status", async () => {
  const fake = fakeGate();
  const go = gateway();
  const { start, handler } = mount(
    async (each, emit) => {
      emit(runStarted(each));
      emit({ type: "CUSTOM", name: "progress", value: 1 });
      emit({ type: "CUSTOM", name: "progress", value: 2 });
      for (const id of ["c1", "c2", "c3"]) fake.scope()?.emit?.(card(id, "pending"));
      await go.passed;
      fake.scope()?.emit?.(card("c1", "approved"));
      emit(runFinished(each));
    },
    {},
    fake,
  );
  const stream = await start({ runId: "r1" });
  await until(() => stream.types().filter((type) => type === "CUSTOM").length === 5);
  fake.answers.pending = ["c1", "c2", "c3"].map((confirmationId) => ({ confirmationId, status: "pending" }));
  const shown = ({ agent }: ReturnType<typeof followWith>) =>
    agent.messages.map((message) => {
      assert.equal(message.role === "activity" && message.activityType, "CUSTOM");
      const { name, value } = message.content as unknown as { name: string; value: { status?: string } };
      return [name, value.status ?? value];
    });
  const progress = [1, 2].map((value) => ["progress", value]);
  const cards = (...statuses: string[]) => statuses.map((status) => ["tool_confirmation", status]);
  const follower = followWith(handler);
  await until(() => follower.agent.messages.length === 5);
  assert.deepEqual(shown(follower), [...progress, ...cards("pending", "pending", "pending")]);
  go.open();
  await follower.done;
  assert.deepEqual(shown(follower), [...progress, ...cards("approved", "pending", "pending")]);
  fake.answers.pending = [];
  fake.answers.payloads = [card("c2", "expired").value, card("c3", "pending").value];
  const reloaded = followWith(handler);
  await reloaded.done;
  assert.deepEqual(shown(reloaded), [...progress, ...cards("approved", "expired")]);
});

test("follow: a stock agent on the history's address reads it too", async () => {
  const { start, handler } = mount((each, emit) => {
    emit(runStarted(each));
    for (const event of say("m1", "done")) emit(event);
    emit(runFinished(each));
  });
  await (await start({ runId: "r1", messages: [user("u1")] })).done;
  const fetch = async (url: string, init: RequestInit) => handler(new Request(url, init));
  const reader = new HttpAgent({ url: "http://localhost/agui/history", threadId: "t", fetch });
  await reader.runAgent({ forwardedProps: { follow: true } });
  assert.deepEqual(
    reader.messages.map(({ id }) => id),
    ["u1", "m1"],
  );
});

test("follow: a canceled run is told to each line of clients in its own words", async () => {
  const fake = fakeGate();
  const { start, handler } = mount(waiting(fake), {}, fake);
  const stream = await start({ runId: "r1" });
  await until(() => stream.types().includes("CUSTOM"));
  const newer = follow(await handler(post("/agui/history", asked("1.0", true))));
  const older = follow(await handler(post("/agui/history", asked("0.0.x", true))));
  assert.equal((await handler(post("/agui/cancel", { threadId: "t" }))).status, 200);
  await Promise.all([stream.done, newer.done, older.done]);
  const plain = { type: "RUN_FINISHED", threadId: "t", runId: "h1" };
  assert.deepEqual(newer.events.at(-1), { ...plain, outcome: { type: "cancelled" } });
  assert.deepEqual(older.events.at(-1), plain);
  assert.deepEqual(stream.events.at(-1), { ...plain, runId: "r1" });
});

test("runs: an older client is not sent outcomes that it dies of", async () => {
  const { start } = mount((each, emit) => {
    emit(runStarted(each));
    emit({ ...runFinished(each), outcome: { type: "success", pendingToolCallIds: ["c1"] } });
  });
  const older = await start({ runId: "r1" });
  const newer = await start({ runId: "r2", threadId: "t2", protocolVersion: "1.0" });
  await Promise.all([older.done, newer.done]);
  assert.deepEqual(older.events.at(-1)?.outcome, { type: "success" });
  assert.deepEqual(newer.events.at(-1)?.outcome, { type: "success", pendingToolCallIds: ["c1"] });
});

test("follow: a card that `activity` draws stays of its kind", async () => {
  const fake = fakeGate();
  const go = gateway();
  fake.answers.pending = [{ confirmationId: "c1", status: "pending" }];
  const { start, handler } = mount(
    async (each, emit) => {
      emit(runStarted(each));
      fake.scope()?.emit?.(card("c1", "pending"));
      await go.passed;
      fake.scope()?.emit?.(card("c1", "approved"));
      emit(runFinished(each));
    },
    { activity: true },
    fake,
  );
  const stream = await start({ runId: "r1" });
  await until(() => stream.types().includes("ACTIVITY_SNAPSHOT"));
  const follower = followWith(handler);
  await until(() => follower.agent.messages.length === 1);
  go.open();
  await follower.done;
  const snapshots = follower.events.filter(({ type }) => type === "ACTIVITY_SNAPSHOT");
  assert.deepEqual(
    snapshots.map(({ activityType }) => activityType),
    ["ack.tool-confirmation"],
  );
});
