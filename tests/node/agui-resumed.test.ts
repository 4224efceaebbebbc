import assert from "node:assert/strict";
import { test } from "node:test";
import { type Event, fakeGate, gateway, runFinished, runStarted, say, until } from "./agui-fakes.ts";
import { followWith } from "./agui-followers.ts";
import { drained, mount, quick } from "./agui-mount.ts";

const decided = [{ confirmationId: "c1", status: "approved" }];
const asked = [{ confirmationId: "c2", status: "pending" }];
const interrupts = ["c1", "c2"].map((id) => ({ id, reason: "tool_call", metadata: { ack: { v: 1 } } }));

/** A run in the middle of a sentence, that ends as `end` says, and a follower of it. */
async function followed(end: (id: { threadId: string; runId: string }) => Event) {
  const fake = fakeGate();
  const go = gateway();
  const again = gateway();
  const mounted = mount(
    async (each, emit, self) => {
      if (each.runId !== "r1") {
        emit(runStarted(each));
        await again.passed;
        for (const event of say("m2", "It is done.")) emit(event);
        return emit(runFinished(each));
      }
      emit(runStarted(each));
      emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
      emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "I do" });
      await go.passed;
      const last = end(each);
      if (last.type === "RUN_FINISHED") emit({ type: "TEXT_MESSAGE_END", messageId: "m1" });
      emit(last);
      return quick(each, () => {}, self);
    },
    {},
    fake,
  );
  const stream = await mounted.start({ runId: "r1" });
  const follower = followWith(mounted.handler);
  await until(() => follower.types().includes("TEXT_MESSAGE_START"));
  const runEvents = () => follower.events.filter(({ type }) => type.startsWith("RUN_"));
  const resume = () =>
    drained(fake.bound, { runId: "r2", messages: [{ id: "x", role: "tool", toolCallId: "c1", content: "1" }] });
  return { ...mounted, ...fake, go, again, stream, follower, runEvents, resume };
}

const start = { type: "RUN_STARTED", threadId: "t", runId: "follow" };
const finish = { type: "RUN_FINISHED", threadId: "t", runId: "follow" };
const takenOver = () => ({ type: "RUN_ERROR", message: "another instance took it", code: "taken_over" });

for (const [what, end] of [
  ["with an error", takenOver],
  [
    "by an interrupt that is decided by then",
    (each) => ({ ...runFinished(each as never), outcome: { type: "interrupt", interrupts } }),
  ],
] as [string, (id: { threadId: string; runId: string }) => Event][]) {
  test(`follow: a run that ends ${what} is followed by the one that carries on`, async () => {
    const { answers, go, again, stream, follower, runEvents, resume } = await followed(end);
    answers.pending = decided;
    go.open();
    await stream.done;
    const resumed = resume();
    await until(() => follower.types().filter((type) => type === "MESSAGES_SNAPSHOT").length === 2);
    answers.pending = [];
    again.open();
    await Promise.all([resumed, follower.done]);
    assert.deepEqual(runEvents(), [start, finish]);
    assert.equal(follower.agent.messages.at(-1)?.content, "It is done.");
    assert.deepEqual(follower.agent.pendingInterrupts, []);
  });
}

test("follow: a resumed run that was over before it was looked for is shown as it ended", async () => {
  const { answers, go, again, stream, follower, runEvents, resume } = await followed(takenOver);
  answers.pending = decided;
  go.open();
  again.open();
  await stream.done;
  await resume();
  answers.pending = [];
  await follower.done;
  assert.deepEqual(runEvents(), [start, finish]);
  assert.equal(follower.agent.messages.at(-1)?.content, "It is done.");
});

test("follow: while a person is still asked, the follow ends with the run", async () => {
  const end = (each: { threadId: string; runId: string }) => ({
    ...runFinished(each as never),
    outcome: { type: "interrupt", interrupts },
  });
  const { answers, go, follower, runEvents } = await followed(end);
  answers.pending = [...decided, ...asked];
  go.open();
  await follower.done;
  assert.deepEqual(runEvents(), [
    start,
    { ...finish, outcome: { type: "interrupt", interrupts: interrupts.slice(1) } },
  ]);
});

test("follow: a run that carries on is not waited for without end", async () => {
  const { answers, go, clock, stream, follower, runEvents } = await followed(takenOver);
  answers.pending = decided;
  go.open();
  await stream.done;
  await until(() => follower.events.length > 0);
  clock.advance(29_000);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(runEvents(), [start]);
  await until(() => {
    clock.advance(1000);
    return runEvents().length === 2;
  });
  await follower.done.catch(() => undefined);
  assert.deepEqual(runEvents(), [start, takenOver()]);
});

test("follow: a person's next run is not part of it", async () => {
  const { go, again, stream, start: run, follower, runEvents } = await followed((each) => runFinished(each as never));
  go.open();
  await stream.done;
  const next = await run({ runId: "r3" });
  again.open();
  await Promise.all([follower.done, next.done]);
  assert.deepEqual(runEvents(), [start, finish]);
  assert.equal(follower.agent.messages.at(-1)?.content, "I do");
});
