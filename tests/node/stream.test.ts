// GET {base}/confirmations/stream: what is open, now and whenever that changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate, memoryState, type PendingItem, type SessionState } from "ackgate";

const CALL = { toolName: "delete_note", arguments: "{}" };

function bench(state: SessionState = memoryState(), logger = { warn() {}, error() {} }) {
  const gate = createGate({
    state,
    user: "u1",
    tools: { delete_note: () => "gone" },
    defaultTier: "confirm",
    pollMs: 5,
    logger,
  });
  const handler = gate.handler({ identify: (request) => ({ user: request.headers.get("x-user") ?? "u1" }) });
  const open = (query: string, user = "u1") =>
    handler(new Request(`http://h/ack/confirmations/stream${query}`, { headers: { "x-user": user } }));
  const ask = (toolCallId: string, user = "u1") =>
    gate.request({ ...CALL, sessionId: "s1", toolCallId }, { context: { user } });
  return { gate, open, ask };
}

async function* lists(response: Response): AsyncGenerator<string[]> {
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames.filter((each) => each.startsWith("data: ")))
      yield (JSON.parse(frame.slice(6)) as PendingItem[]).map((item) => `${item.confirmationId} ${item.status}`);
  }
}

test("the open list comes at once and after every change, also another instance's", async () => {
  const state = memoryState();
  const [here, there] = [bench(state), bench(state)];
  await here.ask("c1");
  const stream = lists(await here.open("?threadId=s1"));
  assert.deepEqual((await stream.next()).value, ["c1 pending"]);
  await there.ask("c2");
  assert.deepEqual((await stream.next()).value, ["c1 pending", "c2 pending"]);
  await there.gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true });
  assert.deepEqual((await stream.next()).value, ["c1 approved", "c2 pending"]);
  await there.gate.cancelSession("s1");
  assert.deepEqual((await stream.next()).value, []);
  await here.gate.close();
  assert.equal((await stream.next()).done, true);
});

test("another person's session is as empty as an unknown one", async () => {
  const { open, ask, gate } = bench();
  await ask("c1");
  const stream = lists(await open("?threadId=s1", "u2"));
  assert.deepEqual((await stream.next()).value, []);
  await stream.return(undefined);
  await gate.close();
});

test("who leaves is not served any more", async () => {
  const memory = memoryState();
  let subscribed = 0;
  const state: SessionState = {
    ...memory,
    async subscribe(session, changed) {
      const leave = await memory.subscribe?.(session, changed);
      subscribed += 1;
      return () => {
        subscribed -= 1;
        leave?.();
      };
    },
  };
  const { open, gate } = bench(state);
  const response = await open("?threadId=s1");
  const reader = response.body?.getReader();
  await reader?.read();
  while (subscribed === 0) await new Promise((resolve) => setImmediate(resolve));
  await reader?.cancel();
  while (subscribed > 0) await new Promise((resolve) => setImmediate(resolve));
  await gate.close();
});

test("a store that fails for a while costs nothing but time", async () => {
  const memory = memoryState();
  let down = false;
  const state: SessionState = {
    ...memory,
    list: (...args) => (down ? Promise.reject(new Error("down")) : memory.list(...args)),
  };
  let warned = (): void => {};
  const failed = new Promise<void>((resolve) => {
    warned = resolve;
  });
  const { open, ask, gate } = bench(state, { warn: () => warned(), error() {} });
  const stream = lists(await open("?threadId=s1"));
  assert.deepEqual((await stream.next()).value, []);
  down = true;
  await failed;
  down = false;
  await ask("c1");
  assert.deepEqual((await stream.next()).value, ["c1 pending"]);
  await gate.close();
});

test("without a thread it is a bad request", async () => {
  const { open } = bench();
  assert.equal((await open("")).status, 400);
});
