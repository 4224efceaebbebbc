import assert from "node:assert/strict";
import { test } from "node:test";
import type { AbstractAgent, BaseEvent, Message, RunAgentInput } from "@ag-ui/client";
import { AckError } from "ackgate";
import { type WrapOptions, wrapAgent } from "ackgate/agui";
import type { Observable } from "rxjs";
import {
  card,
  collect,
  fakeGate,
  gateway,
  input,
  runFinished,
  runStarted,
  ScriptedAgent,
  say,
  toolCall,
  toolResult,
  until,
} from "./agui-fakes.ts";
import { BLOCK, called, tool, types, user } from "./agui-mount.ts";

test("wrapAgent: options are read strictly", () => {
  const { gate } = fakeGate();
  const agent = new ScriptedAgent(() => {});
  const bad = (options: unknown, message: RegExp) =>
    assert.throws(
      () => wrapAgent(agent, gate, options as WrapOptions),
      (error) => AckError.is(error) && error.code === "bad_options" && message.test(error.message),
    );
  bad({ mode: "live" }, /`mode` is `live`, it must be `auto`, `block` or `interrupt`/);
  bad({ mode: "block", activty: true }, /`activty`; did you mean `activity`/);
  bad({ mode: "block", liveWindowMs: 1 }, /`liveWindowMs` is of mode `auto`/);
  bad({ liveWindowMs: 0 }, /`liveWindowMs` must be a number of milliseconds over 0/);
  bad({ liveWindowMs: Number.NaN }, /`liveWindowMs`/);
  bad({ mode: "block", activity: "yes" }, /`activity`/);
  bad({ mode: "block", context: {} }, /`context`/);
});

test("wrapAgent: a bare run() has its scope, with the host's context, across awaits", async () => {
  const { gate, scope, scopes } = fakeGate();
  const seen: unknown[] = [];
  const agent = new ScriptedAgent(async (each, emit) => {
    emit(runStarted(each));
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(scope()?.sessionId, scope()?.runId, scope()?.context);
    emit(runFinished(each));
  });
  const context = async ({ threadId }: RunAgentInput) => ({ user: `owner of ${threadId}` });
  await collect(wrapAgent(agent, gate, { ...BLOCK, context }).run(input()));
  assert.deepEqual(seen, ["t", "r", { user: "owner of t" }]);
  assert.equal(scopes[0]?.signal?.aborted, true, "what still waits at the end of a run is told");
  assert.equal(scope(), undefined);
});

test("wrapAgent: a context that fails fails the run, and the agent does not run", async () => {
  const { gate } = fakeGate();
  let ran = false;
  const agent = new ScriptedAgent(() => {
    ran = true;
  });
  const context = () => {
    throw new Error("who is this?");
  };
  await assert.rejects(collect(wrapAgent(agent, gate, { ...BLOCK, context }).run(input())), /who is this/);
  assert.equal(ran, false);
});

test("wrapAgent: events of the gate go into the open run, in order", async () => {
  const { gate, scope } = fakeGate();
  const agent = new ScriptedAgent(async (each, emit) => {
    scope()?.emit?.(card("c0", "pending"));
    emit(runStarted(each));
    for (const event of toolCall("c1", "delete_note")) emit(event);
    scope()?.emit?.(card("c1", "pending"));
    scope()?.emit?.(card("c1", "approved"));
    emit(runFinished(each));
  });
  const events = await collect(wrapAgent(agent, gate, BLOCK).run(input()));
  assert.deepEqual(types(events), [
    "RUN_STARTED",
    "CUSTOM",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "CUSTOM",
    "CUSTOM",
    "RUN_FINISHED",
  ]);
  assert.deepEqual(events[5], card("c1", "pending"));
});

for (const terminal of ["RUN_FINISHED", "RUN_ERROR"]) {
  test(`wrapAgent: after ${terminal} nothing is sent, and a debug line says so`, async () => {
    const { gate, scope, logs, scopes } = fakeGate();
    const agent = new ScriptedAgent(async (each, emit) => {
      emit(runStarted(each));
      emit({ ...runFinished(each), type: terminal, message: "" });
      scope()?.emit?.(card("c1", "canceled"));
    });
    const events = await collect(wrapAgent(agent, gate, BLOCK).run(input()));
    scopes[0]?.emit?.(card("c2", "canceled"));
    assert.deepEqual(types(events), ["RUN_STARTED", terminal]);
    assert.deepEqual(
      logs.map(({ level, fields }) => [level, (fields as { confirmationId: string }).confirmationId]),
      [
        ["debug", "c1"],
        ["debug", "c2"],
      ],
    );
  });
}

test("wrapAgent: `activity` adds a snapshot beside each event", async () => {
  const { gate, scope } = fakeGate();
  const agent = new ScriptedAgent((each, emit) => {
    emit(runStarted(each));
    scope()?.emit?.(card("c1", "pending"));
    emit(runFinished(each));
  });
  const events = await collect(wrapAgent(agent, gate, { ...BLOCK, activity: true }).run(input()));
  assert.deepEqual(events[2], {
    type: "ACTIVITY_SNAPSHOT",
    messageId: "ack:c1",
    activityType: "ack.tool-confirmation",
    content: { confirmationId: "c1", toolCallId: "c1", status: "pending" },
  });
});

test("wrapAgent: runAgent() of the real client sees the events", async () => {
  const { gate, scope } = fakeGate();
  const agent = new ScriptedAgent(
    (each, emit) => {
      emit(runStarted(each));
      scope()?.emit?.(card("c1", "pending"));
      for (const event of say("m1", "done")) emit(event);
      emit(runFinished(each));
    },
    { threadId: "t9", agentId: "notes", initialMessages: [user("u1")], description: "d" },
  );
  const wrapped = wrapAgent(agent, gate, { ...BLOCK, activity: true });
  assert.deepEqual([wrapped.threadId, wrapped.agentId, wrapped.description], ["t9", "notes", "d"]);
  const seen: unknown[] = [];
  await wrapped.runAgent({ runId: "r9" }, { onCustomEvent: ({ event }) => void seen.push(event.value.status) });
  assert.deepEqual(seen, ["pending"]);
  assert.deepEqual(
    wrapped.messages.map(({ role, content }) => [role, typeof content === "string" ? content : "card"]),
    [
      ["user", "hi"],
      ["activity", "card"],
      ["assistant", "done"],
    ],
  );
});

test("wrapAgent: abortRun() tells the tools and the agent; unsubscribing does too", async () => {
  const { gate, scopes } = fakeGate();
  const agent = new ScriptedAgent((each, emit) => {
    emit(runStarted(each));
    return new Promise(() => {});
  });
  const wrapped = wrapAgent(agent, gate, BLOCK);
  const first = wrapped.run(input()).subscribe();
  const second = wrapped.run(input({ threadId: "t2" })).subscribe();
  await until(() => scopes.length === 2);
  first.unsubscribe();
  assert.deepEqual(
    scopes.map(({ signal }) => signal?.aborted),
    [true, false],
  );
  assert.equal(agent.aborted, 0);
  wrapped.abortRun();
  assert.equal(scopes[1]?.signal?.aborted, true);
  assert.equal(agent.aborted, 1);
  second.unsubscribe();
});

test("wrapAgent: leaving before the agent was started never starts it", async () => {
  const { gate, scopes } = fakeGate();
  const context = gateway();
  const agent = new ScriptedAgent(() => assert.fail("it ran"));
  const options = { ...BLOCK, context: () => context.passed.then(() => ({})) };
  wrapAgent(agent, gate, options).run(input()).subscribe().unsubscribe();
  context.open();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(scopes, []);
});

test("wrapAgent: a clone is an agent of its own, with fields, middlewares and subscribers", async () => {
  class Counting extends ScriptedAgent {
    extra = { ran: 0 };
  }
  const { gate, scopes } = fakeGate();
  const agent = new Counting((each, emit, self) => {
    (self as Counting).extra.ran++;
    emit(runStarted(each));
    emit(runFinished(each));
  });
  const wrapped = wrapAgent(agent, gate, { ...BLOCK, context: () => ({ user: "ann" }) });
  let passed = 0;
  let heard = 0;
  wrapped.use((each, next) => {
    passed++;
    return next.run(each);
  });
  wrapped.subscribe({ onRunFinishedEvent: () => void heard++ });
  wrapped.setMessages([user("u1")]);
  const copy = wrapped.clone() as AbstractAgent;
  copy.threadId = "t2";
  copy.addMessage(user("u2"));
  await copy.runAgent({ runId: "r2" });
  assert.equal(wrapped.messages.length, 1);
  assert.deepEqual([passed, heard, agent.extra.ran, scopes[0]?.sessionId], [1, 1, 1, "t2"]);
  assert.deepEqual(scopes[0]?.context, { user: "ann" });
  copy.abortRun();
  assert.equal(agent.aborted, 0);
});

test("wrapAgent: middlewares and subscribers of the agent inside are kept", async () => {
  const { gate } = fakeGate();
  const seen: string[] = [];
  const agent = new ScriptedAgent((each, emit) => {
    emit(runStarted(each));
    seen.push(each.forwardedProps.by);
    emit(runFinished(each));
  });
  agent.use((each, next) => next.run({ ...each, forwardedProps: { by: "middleware" } }));
  agent.subscribe({ onRunFinishedEvent: () => void seen.push("subscriber") });
  const wrapped = wrapAgent(agent, gate, BLOCK);
  await collect(wrapped.run(input()));
  await wrapped.runAgent();
  assert.deepEqual(seen, ["middleware", "middleware", "subscriber"]);
});

test("wrapAgent: capabilities say what is true", async () => {
  class Able extends ScriptedAgent {
    getCapabilities = async () => ({ identity: { name: "x" }, humanInTheLoop: { feedback: true, approvals: false } });
  }
  const { gate } = fakeGate();
  const none = await wrapAgent(new ScriptedAgent(() => {}), gate, BLOCK).getCapabilities?.();
  assert.deepEqual(none, { humanInTheLoop: { supported: true, approvals: true } });
  const some = await wrapAgent(new Able(() => {}), gate, BLOCK).getCapabilities?.();
  assert.deepEqual(some, {
    identity: { name: "x" },
    humanInTheLoop: { feedback: true, supported: true, approvals: true },
  });
});

test("wrapAgent: a result that never passed the gate is logged once", async () => {
  const { gate, logs } = fakeGate({ passed: ["gated"] });
  const messages = [
    called("before", "old"),
    { id: "m", role: "tool", toolCallId: "before", content: "1" },
  ] as Message[];
  const agent = new ScriptedAgent((each, emit) => {
    emit(runStarted(each));
    for (const [id, name] of [
      ["gated", "a"],
      ["open", "b"],
      ["front", "c"],
    ] as const) {
      for (const event of toolCall(id, name)) emit(event);
      emit(toolResult(id));
    }
    emit({ type: "TOOL_CALL_CHUNK", toolCallId: "chunked", toolCallName: "d", delta: "{}" });
    for (const id of ["open", "chunked", "before"]) emit(toolResult(id));
    emit(runFinished(each));
  });
  await collect(wrapAgent(agent, gate, BLOCK).run(input({ messages, tools: [tool("c")] })));
  assert.deepEqual(
    logs.map(({ level, fields }) => ({ level, ...(fields as object) })),
    [
      { level: "warn", event: "ungated", toolName: "b", toolCallId: "open", sessionId: "t" },
      { level: "warn", event: "ungated", toolName: "d", toolCallId: "chunked", sessionId: "t" },
    ],
  );
  assert.match(logs[0]?.message ?? "", /^ungated: `b`/);
});

async function handedOver(fake: ReturnType<typeof fakeGate>, over: Partial<RunAgentInput>, options = BLOCK) {
  const asked: RunAgentInput[] = [];
  const agent = new ScriptedAgent((each, emit) => {
    asked.push(each);
    emit(runStarted(each));
    emit(runFinished(each));
  });
  const given = input(over);
  await collect(wrapAgent(agent, fake.gate, options).run(given));
  assert.ok(asked[0]);
  return { given, got: asked[0] };
}

test("a broken turn: each call without a result gets one, behind its call", async () => {
  const fake = fakeGate({ results: { c1: '{"deleted":1}' } });
  const both = {
    id: "a1",
    role: "assistant" as const,
    toolCalls: [...called("c1", "delete_note").toolCalls, ...called("c2", "send_mail").toolCalls],
  };
  const messages: Message[] = [user("u1"), both, user("u2"), called("c3", "confirm_in_page"), called("c4", "read")];
  messages.push({ id: "m4", role: "tool", toolCallId: "c4", content: "4" });
  const options: WrapOptions = { ...BLOCK, context: () => ({ user: "ann" }) };
  const { got, given } = await handedOver(fake, { messages, tools: [tool("confirm_in_page")] }, options);
  assert.equal(given.messages.length, 6, "the caller's own list is left alone");
  assert.deepEqual(
    got.messages.map(({ id, role }) => `${role} ${id}`),
    [
      "user u1",
      "assistant a1",
      "tool result:c1",
      "tool result:c2",
      "user u2",
      "assistant a-c3",
      "assistant a-c4",
      "tool m4",
    ],
  );
  assert.deepEqual(got.messages[2], { id: "result:c1", role: "tool", toolCallId: "c1", content: '{"deleted":1}' });
  assert.deepEqual(JSON.parse(String(got.messages[3]?.content)), {
    status: "denied",
    tool: "send_mail",
    reason: "the outcome of this call is unknown. Do not retry it without asking.",
  });
  assert.deepEqual(fake.named("results"), [["t", ["c1", "c2"], { user: "ann" }]]);
});

test("a whole turn is handed over as it is", async () => {
  const fake = fakeGate();
  const messages: Message[] = [
    user("u1"),
    called("c1", "a"),
    { id: "m1", role: "tool", toolCallId: "c1", content: "1" },
  ];
  const { got, given } = await handedOver(fake, { messages });
  assert.equal(got, given);
  assert.deepEqual(fake.calls, []);
});

test("a new message supersedes what is open, when the gate says so", async () => {
  for (const [newMessage, messages, times] of [
    ["supersede", [user("u1")], 1],
    ["supersede", [user("u1"), called("c1", "a"), { id: "m1", role: "tool", toolCallId: "c1", content: "1" }], 0],
    ["supersede", [], 0],
    ["keep", [user("u1")], 0],
  ] as const) {
    const fake = fakeGate({ newMessage });
    await handedOver(fake, { messages: [...messages] as Message[] }, { ...BLOCK, context: () => ({ user: "ann" }) });
    assert.equal(fake.named("supersede").length, times);
    if (times === 1) assert.deepEqual(fake.named("supersede")[0], ["t", { context: { user: "ann" } }]);
  }
});

test("wrapAgent: the bound runner runs the wrapped agent for the decision's context", async () => {
  const { gate, bound, scopes, scope } = fakeGate();
  let got: RunAgentInput | undefined;
  const agent = new ScriptedAgent((each, emit) => {
    got = each;
    emit(runStarted(each));
    scope()?.emit?.(card("c2", "pending"));
    emit(runFinished(each));
  });
  wrapAgent(agent, gate, { ...BLOCK, context: () => ({ user: "nobody" }) });
  const messages = [{ id: "m1", role: "tool" as const, toolCallId: "c1", content: "1" }];
  const asked = { threadId: "t", runId: "r2", messages, tools: [] as never[], context: [] as never[] };
  const events = await collect((await bound.runner.run(asked, { user: "ann" })) as Observable<BaseEvent>);
  assert.deepEqual(types(events), ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]);
  assert.deepEqual(scopes[0]?.context, { user: "ann" });
  assert.deepEqual(got, { ...asked, state: {}, forwardedProps: {} });
});
