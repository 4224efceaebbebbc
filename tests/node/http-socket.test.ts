// Each row of the routes' status table with the real gate behind a real socket.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type Context, createGate, type GateOptions, memoryGrants, memoryState } from "ackgate";
import { toNode } from "ackgate/node";

const SESSION = "t1";

/** A gate with one open question `c1`, served; `orphan`: its run's gate was closed. */
async function serve(
  t: TestContext,
  options: Partial<GateOptions> & { identify?: (request: Request) => Context; orphan?: boolean } = {},
) {
  const { identify = () => ({ user: "u1" }), orphan = false, ...gateOptions } = options;
  const state = memoryState();
  const errors: string[] = [];
  const make = () =>
    createGate({
      state,
      grants: memoryGrants(),
      tools: { delete_note: () => "gone" },
      defaultTier: "confirm",
      logger: { warn() {}, error: (message) => errors.push(message) },
      ...(gateOptions as object),
    });
  const [gate, asking] = [make(), make()];
  const call = asking.execute(
    { sessionId: SESSION, toolCallId: "c1", toolName: "delete_note", arguments: "{}" },
    { context: { user: "u1" } },
  );
  call.catch(() => {});
  const open = async () => (await asking.pending(SESSION, { context: { user: "u1" } })).length;
  while ((await open()) === 0) await new Promise((resolve) => setImmediate(resolve));
  if (orphan) await asking.close();
  const server = createServer(toNode(gate.handler({ identify })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    await Promise.all([gate.close(), asking.close()]);
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetch(base + path, init);
    const text = await response.text();
    const body = text === "" ? undefined : (JSON.parse(text) as { error?: { code: string; message: string } });
    return { status: response.status, headers: response.headers, body, code: body?.error?.code };
  };
  const post = (body: unknown, type = "application/json") =>
    send("/ack/confirmation", {
      method: "POST",
      headers: { "content-type": type },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { gate, call, send, post, errors };
}
const YES = { threadId: SESSION, confirmationId: "c1", approved: true };

test("200: a decision, its repeat, and the list", async (t) => {
  const { send, post, call } = await serve(t);
  const listed = await send(`/ack/confirmations?threadId=${SESSION}`);
  assert.equal(listed.status, 200);
  assert.deepEqual(
    (listed.body as unknown as { confirmationId: string; live: boolean }[]).map(({ confirmationId, live }) => [
      confirmationId,
      live,
    ]),
    [["c1", true]],
  );
  const first = await post(YES);
  assert.deepEqual([first.status, first.body], [200, { path: "live", status: "approved" }]);
  assert.equal((await call).content, '"gone"');
  const second = await post(YES);
  assert.deepEqual([second.status, second.body], [200, { path: "live", status: "approved", replayed: true }]);
  assert.deepEqual((await send("/ack/confirmations?threadId=nobody-knows")).body, []);
});

const MALFORMED: Record<string, unknown> = {
  "malformed JSON": "{",
  "a body over 64 KiB": JSON.stringify({ ...YES, note: "x".repeat(65_536) }),
  "no object": [YES],
  "no approved": { threadId: SESSION, confirmationId: "c1" },
  "approved as text": { ...YES, approved: "true" },
  "approved as null": { ...YES, approved: null },
  "no threadId": { confirmationId: "c1", approved: true },
  "a mistyped confirmationId": { ...YES, confirmationId: 7 },
  "an unknown remember": { ...YES, remember: "forever" },
  "approved on a prototype": '{"__proto__":{"approved":true},"threadId":"t1","confirmationId":"c1"}',
};
for (const [name, body] of Object.entries(MALFORMED)) {
  test(`400: ${name}, and nothing is consumed`, async (t) => {
    const { post, gate } = await serve(t);
    const answer = await post(body);
    assert.deepEqual([answer.status, answer.code], [400, "bad_request"]);
    assert.equal((await gate.pending(SESSION, { context: { user: "u1" } }))[0]?.status, "pending");
  });
}

test("401: the identity function refuses", async (t) => {
  const { post, send } = await serve(t, {
    identify: () => {
      throw new Response("no", { status: 401 });
    },
  });
  assert.equal((await fetchStatus(() => post(YES))) ?? 401, 401);
  assert.equal((await fetchStatus(() => send(`/ack/confirmations?threadId=${SESSION}`))) ?? 401, 401);
});

test("403: a global grant for nobody in particular", async (t) => {
  const { post } = await serve(t, { identify: () => ({}), owner: undefined, user: undefined });
  const answer = await post({ ...YES, remember: "global" });
  assert.deepEqual([answer.status, answer.code], [403, "forbidden"]);
});

test("404: an unknown confirmation, another person's, another path", async (t) => {
  const { post, send } = await serve(t);
  assert.deepEqual(
    [(await post({ ...YES, confirmationId: "c9" })).code, (await post({ ...YES, threadId: "t9" })).status],
    ["not_found", 404],
  );
  const stranger = await serve(t, { identify: () => ({ user: "u2" }), owner: () => "u1" });
  assert.deepEqual([(await stranger.post(YES)).status, (await stranger.post(YES)).code], [404, "not_found"]);
  assert.deepEqual((await stranger.send(`/ack/confirmations?threadId=${SESSION}`)).body, []);
  assert.equal((await send("/ack/other")).status, 404);
});

test("405: a wrong method, with what is allowed", async (t) => {
  const { send } = await serve(t);
  const get = await send("/ack/confirmation");
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
  const put = await send(`/ack/confirmations?threadId=${SESSION}`, { method: "PUT" });
  assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET"]);
});

test("409: another answer after the first", async (t) => {
  const { post, call } = await serve(t);
  await post(YES);
  await call;
  const answer = await post({ ...YES, approved: false });
  assert.deepEqual([answer.status, answer.code], [409, "already_settled"]);
});

test("409: a run is active on the session of an orphan", async (t) => {
  const { post, gate } = await serve(t, { orphan: true, runActive: () => true });
  gate.resumeWith({ run: () => assert.fail("nothing is resumed") });
  const answer = await post(YES);
  assert.deepEqual([answer.status, answer.code], [409, "run_active"]);
});

test("415: a body that is not JSON by its type, also what a simple form can send", async (t) => {
  const { post } = await serve(t);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    assert.equal((await post(YES, type)).status, 415);
  }
  assert.equal((await post(YES, "application/json; charset=utf-8")).status, 200);
});

test("503: an orphan and nobody to carry on", async (t) => {
  const { post } = await serve(t, { orphan: true });
  const answer = await post(YES);
  assert.deepEqual([answer.status, answer.code], [503, "not_bound"]);
});

test("500: a failing store, without its text", async (t) => {
  const state = memoryState();
  const secret = "password=hunter2";
  let broken = false;
  const { post, send } = await serve(t, {
    state: {
      ...state,
      read: (...args) => (broken ? Promise.reject(new Error(secret)) : state.read(...args)),
      list: (...args) => (broken ? Promise.reject(new Error(secret)) : state.list(...args)),
    },
  });
  broken = true;
  for (const answer of [await post(YES), await send(`/ack/confirmations?threadId=${SESSION}`)]) {
    assert.equal(answer.status, 500);
    assert.ok(!JSON.stringify(answer.body).includes(secret));
  }
  broken = false;
  assert.equal((await post(YES)).status, 200);
});

/** A refusal's own body need not be JSON. */
async function fetchStatus(send: () => Promise<{ status: number }>): Promise<number | undefined> {
  return send().then(
    ({ status }) => status,
    () => undefined,
  );
}
