import assert from "node:assert/strict";
import { test } from "node:test";
import { type Event, fakeGate, gateway, runFinished, runStarted, say, until } from "./agui-fakes.ts";
import { followWith } from "./agui-followers.ts";
import { drained, mount, quick } from "./agui-mount.ts";

const decided = [{ confirmationId: "c1", status: "approved" }];
const asked = [{ confirmationId: "c2", status: "pending" }];
const interrupts = ["c1", "c2"].map((id) => ({ id, reason: "tool_call", metadata: { ack: { v: 1 } } }));

const interrupt = (each: object): Event => ({
  ...runFinished(each as never),
  outcome: { type: "interrupt", interrupts },
});

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
  ["by an interrupt that is decided by then", interrupt],
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

/** A run that has ended, whose follower is held up before it looks for another one. */
async function heldUp() {
  const all = await followed(interrupt);
  const looking = gateway<typeof decided>();
  all.answers.pending = looking.passed as never;
  all.go.open();
  await all.stream.done;
  await until(() => all.named("pending").length > 0);
  return { ...all, look: () => looking.open([]) };
}

test("follow: a resumed run that is over before it is looked for is shown as it ended", async () => {
  const { again, follower, runEvents, resume, look } = await heldUp();
  again.open();
  await resume();
  look();
  await follower.done;
  assert.deepEqual(runEvents(), [start, finish]);
  assert.equal(follower.agent.messages.at(-1)?.content, "It is done.");
});

for (const over of [false, true]) {
  test(`follow: a person's next run is not part of it, ${over ? "when it is over already" : "while it goes on"}`, async () => {
    const { again, start: run, follower, runEvents, look } = await heldUp();
    const next = await run({ runId: "r3" });
    if (over) again.open();
    await (over ? next.done : until(() => next.types().includes("RUN_STARTED")));
    look();
    await follower.done;
    again.open();
    await next.done;
    assert.deepEqual(runEvents(), [start, finish]);
    assert.equal(follower.agent.messages.at(-1)?.content, "I do");
  });
}

test("follow: an interrupt of the agent's own is for the person, whatever else is decided", async () => {
  const own = [{ id: "g1", reason: "langgraph:interrupt" }];
  const outcome = { type: "interrupt", interrupts: [...interrupts, ...own] };
  const { answers, go, follower, runEvents } = await followed((each) => ({ ...runFinished(each as never), outcome }));
  answers.pending = decided;
  go.open();
  await follower.done;
  assert.deepEqual(runEvents(), [start, { ...finish, outcome: { type: "interrupt", interrupts: own } }]);
});

test("follow: while a person is still asked, the follow ends with the run", async () => {
  const { answers, go, follower, runEvents } = await followed(interrupt);
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
  await clock.advance(29_000);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(runEvents(), [start]);
  await until(async () => {
    await clock.advance(1000);
    return runEvents().length === 2;
  });
  await follower.done.catch(() => undefined);
  assert.deepEqual(runEvents(), [start, takenOver()]);
});
