import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, type Context, type Gate, type Handler, type HandlerOptions } from "ackgate";

// Not an entry of its own: users have it as `gate.handler`. It lies beside the root entry.
const { createHandler } = (await import(new URL("./http.js", import.meta.resolve("ackgate")).href)) as {
  createHandler(gate: Pick<Gate, "decide" | "pending">, options: HandlerOptions): Handler;
};

type Spied = { decided: unknown[][]; listed: unknown[][]; handler: Handler };

function mount(
  over: { [K in "decide" | "pending"]?: () => unknown } = {},
  options: Partial<HandlerOptions> = {},
): Spied {
  const decided: unknown[][] = [];
  const listed: unknown[][] = [];
  const gate = {
    async decide(...args: unknown[]) {
      decided.push(args);
      return over.decide ? over.decide() : { path: "live", status: "approved" };
    },
    async pending(...args: unknown[]) {
      listed.push(args);
      return over.pending ? over.pending() : [{ confirmationId: "c1", live: true }];
    },
  } as unknown as Pick<Gate, "decide" | "pending">;
  const identify = () => ({ user: "ann" });
  return { decided, listed, handler: createHandler(gate, { identify, ...options }) };
}

const JSON_TYPE = { "content-type": "application/json" };
const body = { threadId: "t", confirmationId: "c1", approved: true };
const decideWith = (value: unknown, headers: Record<string, string> = JSON_TYPE) =>
  new Request("http://h/ack/confirmation", {
    method: "POST",
    headers,
    body: typeof value === "string" ? value : JSON.stringify(value),
  });
const list = (query: string) => new Request(`http://h/ack/confirmations${query}`);

async function refused(response: Response, status: number, code: string): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  const { error } = JSON.parse(text);
  assert.deepEqual(Object.keys(error).sort(), ["code", "message"]);
  assert.equal(error.code, code);
  assert.equal(response.headers.get("cache-control"), "no-store");
  return error.message;
}

test("a decision: the gate gets the ids, the answer and the host's context", async () => {
  const { handler, decided } = mount();
  const response = await handler(decideWith(body));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.deepEqual(await response.json(), { path: "live", status: "approved" });
  assert.deepEqual(decided, [[{ sessionId: "t", confirmationId: "c1", approved: true }, { context: { user: "ann" } }]]);
});

test("`remember` goes with an approval, `note` with a denial", async () => {
  const { handler, decided } = mount();
  await handler(decideWith({ ...body, remember: "session", note: "fine" }));
  await handler(decideWith({ ...body, approved: false, remember: "global", note: "not now" }));
  assert.deepEqual(
    decided.map(([decision]) => decision),
    [
      { sessionId: "t", confirmationId: "c1", approved: true, remember: "session" },
      { sessionId: "t", confirmationId: "c1", approved: false, note: "not now" },
    ],
  );
});

test("`replayed` is passed on", async () => {
  const { handler } = mount({ decide: () => ({ path: "recovery", status: "denied", replayed: true }) });
  const response = await handler(decideWith({ ...body, approved: false }));
  assert.deepEqual(await response.json(), { path: "recovery", status: "denied", replayed: true });
});

test("who decided and on whose behalf never comes from the body", async () => {
  for (const field of ['"decidedBy":"root"', '"context":{"user":"root"}', '"user":"root"', '"sessionId":"t2"']) {
    const { handler, decided } = mount();
    const text = `{${field},${JSON.stringify(body).slice(1)}`;
    await refused(await handler(decideWith(text)), 400, "bad_request");
    assert.deepEqual(decided, []);
  }
});

test("400: a field that the route does not have, which might change what is approved", async () => {
  for (const name of ["edited", "editedArgument", "toolName", "constructor", "__proto__"]) {
    const { handler, decided } = mount();
    const text = `{${JSON.stringify(name)}:{"user":"root"},${JSON.stringify(body).slice(1)}`;
    const message = await refused(await handler(decideWith(text)), 400, "bad_request");
    assert.ok(message.includes(`\`${name}\``), message);
    assert.deepEqual(decided, []);
  }
  assert.equal(({} as { user?: string }).user, undefined);
});

test("a field that only the prototype has is missing", async () => {
  const { handler, decided } = mount();
  const text = '{"__proto__":{"threadId":"t","confirmationId":"c1","approved":true}}';
  await refused(await handler(decideWith(text)), 400, "bad_request");
  assert.deepEqual(decided, []);
});

const MALFORMED: Record<string, unknown> = {
  "no JSON": "{",
  "no text": "",
  "a list": "[]",
  "a word": '"yes"',
  null: "null",
  "no threadId": { confirmationId: "c1", approved: true },
  "an empty threadId": { ...body, threadId: "" },
  "a numeric threadId": { ...body, threadId: 1 },
  "no confirmationId": { threadId: "t", approved: true },
  "a confirmationId list": { ...body, confirmationId: ["c1"] },
  "no answer": { threadId: "t", confirmationId: "c1" },
  "an answer as text": { ...body, approved: "false" },
  "an answer as a number": { ...body, approved: 0 },
  "a null answer": { ...body, approved: null },
  "an unknown remember": { ...body, remember: "forever" },
  "a remember flag": { ...body, remember: true },
  "a null remember": { ...body, remember: null },
  "an inherited word": { ...body, remember: "constructor" },
  "an unknown remember on a denial": { ...body, approved: false, remember: "forever" },
  "a note that is no text": { ...body, approved: false, note: {} },
  "an edit that is null": { ...body, editedArguments: null },
  "an edit that is a list": { ...body, editedArguments: [] },
  "an edit of a denial": { ...body, approved: false, editedArguments: {} },
  "a digest that is no text": { ...body, expectedDigest: 0 },
  "a null digest": { ...body, expectedDigest: null },
  "a grant that is text": { ...body, grant: "n2" },
  "a null grant": { ...body, grant: null },
  "a grant with another field": { ...body, grant: { scope: "global" } },
  "a grant for no use": { ...body, grant: { content: "n2", usesLeft: 0 } },
  "a grant for ever": { ...body, grant: { content: "n2", expiresAt: "never" } },
};

for (const [name, value] of Object.entries(MALFORMED)) {
  test(`400: ${name}`, async () => {
    const { handler, decided } = mount();
    assert.notEqual(await refused(await handler(decideWith(value)), 400, "bad_request"), "");
    assert.deepEqual(decided, []);
  });
}

test("an edit, a digest and a grant reach the gate as they came", async () => {
  const extras = { editedArguments: '{"id":"n3"}', expectedDigest: "00", grant: { content: "n2", usesLeft: 2 } };
  const { handler, decided } = mount();
  assert.equal((await handler(decideWith({ ...body, ...extras }))).status, 200);
  const expected = { sessionId: "t", confirmationId: "c1", approved: true, ...extras };
  assert.deepEqual(decided[0]?.[0], expected);
});

test("400: text that is not UTF-8", async () => {
  const { handler } = mount();
  const bytes = new Uint8Array([0x7b, 0xff, 0x7d]);
  const request = new Request("http://h/ack/confirmation", { method: "POST", headers: JSON_TYPE, body: bytes });
  await refused(await handler(request), 400, "bad_request");
});

test("64 KiB is the limit, to the byte", async () => {
  const { handler, decided } = mount();
  const bare = JSON.stringify({ ...body, approved: false, note: "" }).length;
  const sized = (size: number) => ({ ...body, approved: false, note: "x".repeat(size - bare) });
  assert.equal((await handler(decideWith(sized(65_536)))).status, 200);
  await refused(await handler(decideWith(sized(65_537))), 400, "bad_request");
  assert.equal(decided.length, 1);
});

test("400: a long body is refused while it is read, not when it has ended", async () => {
  const { handler } = mount();
  let pulled = 0;
  let canceled = false;
  const endless = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
      },
      cancel() {
        canceled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", headers: JSON_TYPE, body: endless, duplex: "half" } as RequestInit;
  await refused(await handler(new Request("http://h/ack/confirmation", init)), 400, "bad_request");
  assert.ok(canceled);
  assert.ok(pulled <= 6, `${pulled} pieces were read`);
});

test("400: a declared length over the limit is refused unread", async () => {
  const { handler } = mount();
  const request = decideWith(body, { ...JSON_TYPE, "content-length": "65537" });
  await refused(await handler(request), 400, "bad_request");
  assert.equal(request.bodyUsed, false);
});

test("415: only JSON is read; parameters are allowed", async () => {
  const { handler, decided } = mount();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]) {
    await refused(await handler(decideWith(body, { "content-type": type })), 415, "bad_request");
  }
  const bare = new Request("http://h/ack/confirmation", { method: "POST", body: new Uint8Array([0x7b, 0x7d]) });
  await refused(await handler(bare), 415, "bad_request");
  assert.deepEqual(decided, []);
  for (const type of ["application/json; charset=utf-8", "Application/JSON ;x=1"]) {
    assert.equal((await handler(decideWith(body, { "content-type": type }))).status, 200);
  }
});

test("405 names the method that is allowed", async () => {
  const { handler } = mount();
  for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
    const response = await handler(new Request("http://h/ack/confirmation", { method }));
    assert.equal(response.headers.get("allow"), "POST");
    await refused(response, 405, "bad_request");
  }
  const response = await handler(new Request("http://h/ack/confirmations?threadId=t", { method: "POST" }));
  assert.equal(response.headers.get("allow"), "GET");
  await refused(response, 405, "bad_request");
});

test("404: another path, also one that only begins like ours", async () => {
  const { handler } = mount();
  for (const path of [
    "/",
    "/ack",
    "/ack/",
    "/ack/confirmation/",
    "/ack/confirmationx",
    "/x/ack/confirmation",
    "/ACK/confirmation",
  ]) {
    await refused(await handler(new Request(`http://h${path}`)), 404, "not_found");
    assert.equal(handler.matches(path), false);
  }
});

test("`matches` takes a request, a path and a path with a query", () => {
  const { handler } = mount();
  assert.ok(handler.matches("/ack/confirmation"));
  assert.ok(handler.matches("/ack/confirmations?threadId=t"));
  assert.ok(handler.matches(list("?threadId=t")));
  assert.equal(handler.matches("//ack/confirmation"), false);
  assert.equal(handler.matches("/other/../ack/confirmation"), false);
  assert.equal(handler.matches(""), false);
});

test("bases are normalised", async () => {
  for (const [base, path] of [
    [undefined, "/ack/confirmation"],
    ["/ack", "/ack/confirmation"],
    ["ack/", "/ack/confirmation"],
    ["/api//ack/", "/api/ack/confirmation"],
    ["", "/confirmation"],
    ["/", "/confirmation"],
  ] as const) {
    const { handler, decided } = mount({}, { base });
    const request = new Request(`http://h${path}`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
    assert.equal((await handler(request)).status, 200, path);
    assert.equal(decided.length, 1);
  }
});

test("a Response thrown by `identify` is the answer", async () => {
  const thrown = new Response("log in first", { status: 401, headers: { "www-authenticate": "Bearer" } });
  const { handler, decided } = mount({}, { identify: () => Promise.reject(thrown) });
  assert.equal(await handler(decideWith(body)), thrown);
  assert.deepEqual(decided, []);
});

test("401: `identify` throws anything else; its words stay here", async () => {
  for (const error of [
    new TypeError("token 1234 is bad"),
    "token 1234",
    undefined,
    new AckError("internal", "token 1234"),
  ]) {
    const identify = () => {
      throw error;
    };
    const { handler, decided } = mount({}, { identify });
    const message = await refused(await handler(decideWith(body)), 401, "forbidden");
    assert.doesNotMatch(message, /1234/);
    assert.deepEqual(decided, []);
  }
});

test("401: `identify` that forgets to return is nobody", async () => {
  const { handler, decided } = mount({}, { identify: (() => undefined) as unknown as () => Context });
  await refused(await handler(decideWith(body)), 401, "forbidden");
  assert.deepEqual(decided, []);
});

test("403: `forbidden`, from `identify` and from the gate", async () => {
  const no = () => {
    throw new AckError("forbidden", "`global` is not yours to give");
  };
  await refused(await mount({}, { identify: no }).handler(decideWith(body)), 403, "forbidden");
  const message = await refused(await mount({ decide: no }).handler(decideWith(body)), 403, "forbidden");
  assert.equal(message, "`global` is not yours to give");
});

for (const [code, status] of [
  ["bad_request", 400],
  ["not_found", 404],
  ["run_active", 409],
  ["conflict", 409],
  ["already_settled", 409],
  ["not_bound", 503],
] as const) {
  test(`${status}: ${code}`, async () => {
    const decide = () => {
      throw new AckError(code, `it is ${code}`);
    };
    assert.equal(await refused(await mount({ decide }).handler(decideWith(body)), status, code), `it is ${code}`);
  });
}

test("500: everything else, without internals", async () => {
  const corrupt = new AckError("state_corrupt", "row 7 of users.db");
  for (const [error, code] of [
    [new Error("password is 1234"), "internal"],
    [corrupt, "state_corrupt"],
    [null, "internal"],
  ] as const) {
    const fail = () => {
      throw error;
    };
    const broken = mount({ decide: fail, pending: fail }).handler;
    for (const request of [decideWith(body), list("?threadId=t")]) {
      assert.doesNotMatch(await refused(await broken(request), 500, code), /1234|users/);
    }
  }
});

test("path, method, type, identity, body: in this order", async () => {
  let asked = 0;
  const identify = () => {
    asked++;
    throw new Error("no");
  };
  const { handler } = mount({}, { identify });
  await refused(await handler(new Request("http://h/x", { method: "PUT" })), 404, "not_found");
  await refused(await handler(new Request("http://h/ack/confirmation", { method: "PUT" })), 405, "bad_request");
  await refused(await handler(decideWith("{", { "content-type": "text/plain" })), 415, "bad_request");
  assert.equal(asked, 0);
  const request = decideWith("{");
  await refused(await handler(request), 401, "forbidden");
  assert.equal(request.bodyUsed, false);
  assert.equal(asked, 1);
});

test("the open list of a thread, for the one who asks", async () => {
  const { handler, listed } = mount();
  const response = await handler(list("?threadId=a%20b&user=root"));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.deepEqual(await response.json(), [{ confirmationId: "c1", live: true }]);
  assert.deepEqual(listed, [["a b", { context: { user: "ann" } }]]);
  for (const query of ["", "?threadId=", "?threadid=t"]) await refused(await handler(list(query)), 400, "bad_request");
});

test("a handler without an identity is not made", () => {
  const gate = {} as Gate;
  const bad = (options: unknown, message: RegExp) =>
    assert.throws(
      () => createHandler(gate, options as HandlerOptions),
      (error) => AckError.is(error) && error.code === "bad_options" && message.test(error.message),
    );
  bad({}, /`identify`/);
  bad(undefined, /`identify`/);
  bad({ identify: "ann" }, /`identify`/);
  bad({ identify: () => ({}), base: 1 }, /`base`/);
  bad({ identify: () => ({}), bas: "/x" }, /`bas`; did you mean `base`/);
  bad({ identfy: () => ({}) }, /did you mean `identify`/);
});
