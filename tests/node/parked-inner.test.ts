// What an agent does beside and after a call that stays open: its stream ends once, with the question, and nothing follows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError } from "ackgate";
import { type Event, gateway, runFinished, runStarted, type Script, toolCall, until } from "./agui-fakes.ts";
import { ANN, bench } from "./parking-bench.ts";

/** One run of an agent that asks before it deletes, and may read, which takes until `slow` is opened. */
function held(script: (call: (id: string, tool?: string) => Promise<string>) => Script) {
  const slow = gateway();
  const ran: string[] = [];
  const tools = {
    delete_note: () => ran.push("delete"),
    read_note: async () => {
      await slow.passed;
      return ran.push("read");
    },
  };
  const { gate, agent, run } = bench({
    gate: { tools },
    script: (call) => script(async (id, tool) => (await call(id, tool)).content),
  });
  const events: Event[] = [];
  const over = run().then((all) => void events.push(...(all as Event[])));
  return { gate, agent, slow, ran, events, over };
}

const isParked = (error: unknown) => AckError.is(error) && error.code === "parked";
const announced = (id: string, tool = "delete_note") => toolCall(id, tool, `{"id":"${id}"}`);

function endedOpen(events: readonly Event[], ...ids: string[]): void {
  const terminal = events.filter(({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR");
  assert.equal(terminal.length, 1);
  assert.equal(events.at(-1), terminal[0], "nothing follows the end");
  const outcome = terminal[0]?.outcome as { type: string; interrupts: { id: string }[] } | undefined;
  assert.deepEqual([outcome?.type, outcome?.interrupts.map(({ id }) => id).sort()], ["interrupt", ids]);
}

test("an agent that goes on after the rejection is not heard, and is told to stop once", async () => {
  const caught: unknown[] = [];
  const heard = gateway();
  const { agent, events, over, ran } = held((call) => async (each, emit) => {
    emit(runStarted(each));
    for (const event of announced("c1")) emit(event);
    await call("c1").catch((error) => caught.push(error));
    emit({ type: "CUSTOM", name: "late", value: 1 });
    await call("c2").catch((error) => caught.push(error));
    emit(runFinished(each));
    heard.open();
  });
  await over;
  await heard.passed;
  endedOpen(events, "c1");
  assert.ok(!events.some(({ name }) => name === "late"));
  assert.deepEqual([caught.map(isParked), agent.aborted, ran], [[true, true], 1, []]);
});

test("an agent that ends its run beside an open question has not succeeded", async () => {
  const { events, over, gate } = held((call) => async (each, emit) => {
    emit(runStarted(each));
    for (const event of announced("c1")) emit(event);
    call("c1").catch(() => undefined);
    await until(async () => (await gate.pending("t", ANN)).length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    emit(runFinished(each));
  });
  await over;
  endedOpen(events, "c1");
});

test("an agent that runs its calls one after another: the second one never came, and its result says that it was not run", async () => {
  const { gate, events, over, ran } = held((call) => async (each, emit) => {
    emit(runStarted(each));
    for (const id of ["c1", "c2"]) for (const event of announced(id)) emit(event);
    for (const id of ["c1", "c2"])
      emit({ type: "TOOL_CALL_RESULT", messageId: id, toolCallId: id, content: await call(id) });
    emit(runFinished(each));
  });
  await until(async () => (await gate.pending("t", ANN)).length === 1);
  await until(async () => {
    await gate.clock.advance(100);
    return events.length > 0;
  });
  await over;
  endedOpen(events, "c1");
  const results = events.filter(({ type }) => type === "TOOL_CALL_RESULT");
  assert.deepEqual(
    results.map(({ toolCallId }) => toolCallId),
    ["c2"],
  );
  assert.match(String(results[0]?.content), /was not run.*Call it again if it is still needed/);
  assert.deepEqual(ran, []);
});

test("a tool that runs beside it is waited for, and its result is sent", async () => {
  const { gate, events, over, slow, ran } = held((call) => async (each, emit) => {
    emit(runStarted(each));
    for (const event of announced("c1")) emit(event);
    for (const event of announced("c2", "read_note")) emit(event);
    const told = async (id: string, tool?: string) =>
      emit({ type: "TOOL_CALL_RESULT", messageId: id, toolCallId: id, content: await call(id, tool) });
    await Promise.all([told("c1"), told("c2", "read_note")]);
    emit(runFinished(each));
  });
  await until(async () => (await gate.pending("t", ANN)).length === 1);
  await gate.clock.advance(60_000);
  assert.deepEqual(events, [], "however long it takes");
  slow.open();
  await over;
  endedOpen(events, "c1");
  const results = events.filter(({ type }) => type === "TOOL_CALL_RESULT");
  assert.deepEqual([results.map(({ toolCallId }) => toolCallId), ran], [["c2"], ["read"]]);
});

test("messages and steps that are open are ended before the run is", async () => {
  const { events, over } = held((call) => async (each, emit) => {
    emit(runStarted(each));
    emit({ type: "STEP_STARTED", stepName: "tidy" });
    emit({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
    emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "I " });
    for (const event of announced("c1")) emit(event);
    await call("c1");
  });
  await over;
  endedOpen(events, "c1");
  assert.deepEqual(
    events.slice(-3).map(({ type }) => type),
    ["TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED"],
  );
});
