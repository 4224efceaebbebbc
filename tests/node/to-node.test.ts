import assert from "node:assert/strict";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Handler } from "ackgate";
import { toNode } from "ackgate/node";
import express from "express";
import { until } from "./agui-fakes.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** A handler of /mine that keeps what it was asked. */
function handlerOf(answer: Answer): Handler & { asked: Request[] } {
  const asked: Request[] = [];
  const path = (target: Request | string) =>
    typeof target === "string" ? target.split("?", 1)[0] : new URL(target.url).pathname;
  const handle = async (request: Request) => {
    asked.push(request);
    return answer(request);
  };
  return Object.assign(handle, { asked, matches: (target: Request | string) => path(target) === "/mine" });
}

const echo: Answer = async (request) =>
  Response.json({
    url: request.url,
    method: request.method,
    type: request.headers.get("content-type"),
    length: request.headers.get("content-length"),
    text: await request.text(),
  });

async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (t: TestContext, answer: Answer) => listen(t, createServer(toNode(handlerOf(answer))));
const post = (base: string, body: BodyInit, type = "application/json", headers: Record<string, string> = {}) =>
  fetch(`${base}/mine`, { method: "POST", headers: { "content-type": type, ...headers }, body });

/** What a server says to bytes that `fetch` would not send. */
function raw(base: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), "127.0.0.1", () => socket.end(text));
    let answer = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      answer += piece;
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}

test("node:http: ours is answered, the rest is 404", async (t) => {
  const base = await serve(t, echo);
  const response = await post(base, '{"a":1}');
  assert.equal(response.status, 200);
  const { text, url, method } = (await response.json()) as Record<string, string>;
  assert.deepEqual([text, url, method], ['{"a":1}', `${base}/mine`, "POST"]);
  const other = await fetch(`${base}/other`);
  assert.equal(other.status, 404);
  assert.equal(((await other.json()) as { error: { code: string } }).error.code, "not_found");
});

test("the query, status, headers and every cookie pass", async (t) => {
  const base = await serve(t, (request) => {
    const headers = new Headers({ "x-query": new URL(request.url).search });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return new Response(null, { status: 202, headers });
  });
  const response = await fetch(`${base}/mine?threadId=a%20b`);
  assert.equal(response.status, 202);
  assert.equal(response.headers.get("x-query"), "?threadId=a%20b");
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
});

test("HEAD has no body", async (t) => {
  const base = await serve(t, () => new Response("never sent"));
  const response = await fetch(`${base}/mine`, { method: "HEAD" });
  assert.deepEqual([response.status, await response.text()], [200, ""]);
});

test("express: before a body parser, and not ours goes on", async (t) => {
  const app = express();
  app.use(toNode(handlerOf(echo)));
  app.use(express.json());
  app.get("/other", (_, response) => void response.send("express"));
  const base = await listen(t, createServer(app));
  assert.equal(((await (await post(base, '{"a":1}')).json()) as { text: string }).text, '{"a":1}');
  assert.equal(await (await fetch(`${base}/other`)).text(), "express");
});

for (const [name, parser] of Object.entries({
  "express.json": express.json(),
  "express.text": express.text({ type: "*/*" }),
  "express.raw": express.raw({ type: "*/*" }),
})) {
  test(`express: after ${name} has eaten the body`, async (t) => {
    const app = express();
    app.use(parser);
    app.use(toNode(handlerOf(echo)));
    const base = await listen(t, createServer(app));
    const sent = '{"a":1,"__proto__":{"b":2},"text":"ü"}';
    const { text, type } = (await (await post(base, sent)).json()) as Record<string, string>;
    assert.deepEqual([text, type], [sent, "application/json"]);
  });
}

test("express: a compressed body that a parser has inflated is not announced as compressed", async (t) => {
  const app = express();
  app.use(express.json());
  const handler = handlerOf(echo);
  app.use(toNode(handler));
  const base = await listen(t, createServer(app));
  const response = await post(base, gzipSync('{"a":1}'), "application/json", { "content-encoding": "gzip" });
  assert.equal(((await response.json()) as { text: string }).text, '{"a":1}');
  assert.equal(handler.asked[0]?.headers.get("content-encoding"), null);
});

test("express: a parser that did not want this body left it to us", async (t) => {
  const app = express();
  app.use(express.json());
  app.use(toNode(handlerOf(echo)));
  const base = await listen(t, createServer(app));
  const { text, type } = (await (await post(base, "plain", "text/plain")).json()) as Record<string, string>;
  assert.deepEqual([text, type], ["plain", "text/plain"]);
});

test("express: mounted under a prefix, by its own path or by the whole one", async (t) => {
  const app = express();
  app.use("/api", toNode(handlerOf(echo)));
  const whole = Object.assign((request: Request) => Promise.resolve(echo(request)), {
    matches: (target: Request | string) => target === "/v2/mine?x=1",
  });
  app.use("/v2", toNode(whole));
  const base = await listen(t, createServer(app));
  const url = async (path: string) => ((await (await fetch(base + path)).json()) as { url: string }).url;
  assert.equal(await url("/api/mine?x=1"), `${base}/mine?x=1`);
  assert.equal(await url("/v2/mine?x=1"), `${base}/v2/mine?x=1`);
});

test("a path that only becomes ours when it is resolved is not ours", async (t) => {
  const base = await serve(t, echo);
  for (const target of ["/x/../mine", "//mine", "/%6dine", "*", "mine", "http://", "http://a:b:c/mine"]) {
    const answer = await raw(base, `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[04] /, target);
  }
});

test("a Host header is only believed when it is one", async (t) => {
  const base = await serve(t, echo);
  const url = async (line: string, target = "/mine?x=1", version = "1.1") => {
    const answer = await raw(base, `GET ${target} HTTP/${version}\r\n${line}Connection: close\r\n\r\n`);
    return /"url":"([^"]*)"/.exec(answer)?.[1] ?? answer;
  };
  assert.equal(await url("Host: example.com:8080\r\n"), "http://example.com:8080/mine?x=1");
  assert.equal(await url("Host: [::1]:80\r\n"), "http://[::1]/mine?x=1");
  assert.equal(await url("Host: h\r\n", "http://elsewhere/mine?x=1"), "http://h/mine?x=1");
  const bad = [
    "",
    "Host: \r\n",
    "Host: a/../admin?\r\n",
    "Host: user:pass@evil\r\n",
    "Host: a b\r\n",
    "Host: h:99999\r\n",
    "Host: [::\r\n",
    "Host: \xff\r\n",
  ];
  for (const line of bad) assert.equal(await url(line, "/mine?x=1", "1.0"), "http://localhost/mine?x=1", line);
});

test("methods that a Request cannot have are 405", async (t) => {
  const base = await serve(t, echo);
  const answer = await raw(base, "TRACE /mine HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 405 /);
  assert.match(answer, /\r\nallow: GET, POST\r\n/i);
});

test("headers are flushed, and events come one by one", async (t) => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(each) {
      controller = each;
    },
  });
  const base = await serve(t, () => new Response(body, { headers: { "content-type": "text/event-stream" } }));
  const response = await fetch(`${base}/mine`);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (const event of ["data: 1\n\n", ":\n\n"]) {
    controller?.enqueue(new TextEncoder().encode(event));
    assert.equal((await reader.read()).value, event);
  }
  controller?.close();
  assert.equal((await reader.read()).done, true);
});

test("a client that does not read stops the source", async (t) => {
  let pieces = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces++;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
  const base = await serve(t, () => new Response(body()));
  const response = await new Promise<IncomingMessage>((resolve) => {
    httpRequest(`${base}/mine`, resolve).end();
  });
  response.pause();
  let before = -1;
  for (let still = 0; still < 50; await new Promise((resolve) => setImmediate(resolve))) {
    still = pieces === before ? still + 1 : 0;
    before = pieces;
    assert.ok(pieces < 4096, "256 MiB were written to a client that reads nothing");
  }
  response.destroy();
});

test("a client that leaves cancels the body and the request's signal; the server goes on", async (t) => {
  let canceled = 0;
  let aborted = 0;
  const base = await serve(t, (request) => {
    request.signal.addEventListener("abort", () => aborted++);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel() {
        canceled++;
        throw new Error("the source cannot be stopped");
      },
    });
    return new Response(body);
  });
  const leaving = new AbortController();
  const response = await fetch(`${base}/mine`, { signal: leaving.signal });
  assert.equal(response.status, 200);
  leaving.abort();
  await until(() => canceled === 1 && aborted === 1);
  assert.equal((await fetch(`${base}/other`)).status, 404);
});

test("a body that fails cuts the answer short; the server goes on", async (t) => {
  const base = await serve(t, () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("the source broke"));
      },
    });
    return new Response(body);
  });
  await assert.rejects(async () => (await fetch(`${base}/mine`)).text());
  assert.equal((await fetch(`${base}/other`)).status, 404);
});

test("a handler that throws: `next(error)`, or 500 without internals", async (t) => {
  const fail: Answer = () => {
    throw new Error("password is 1234");
  };
  const bare = await fetch(`${await serve(t, fail)}/mine`);
  assert.equal(bare.status, 500);
  assert.doesNotMatch(await bare.text(), /1234/);

  const app = express();
  app.use(toNode(handlerOf(fail)));
  const onError: express.ErrorRequestHandler = (error, _, response, __) =>
    void response.status(418).send(error.message);
  app.use(onError);
  const passed = await fetch(`${await listen(t, createServer(app))}/mine`);
  assert.deepEqual([passed.status, await passed.text()], [418, "password is 1234"]);
});

test("a refusal reaches a client that is still sending", async (t) => {
  const base = await serve(t, async (request) => {
    const reader = request.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    return new Response("too long", { status: 400 });
  });
  const body = new Uint8Array(8 * 1024 * 1024).fill(0x20);
  for (let round = 0; round < 5; round++) {
    const response = await post(base, body);
    assert.deepEqual([response.status, await response.text()], [400, "too long"]);
  }
});

test("a client that leaves while it sends does no harm", async (t) => {
  let failed = false;
  const base = await serve(t, async (request) => {
    await request.text().catch(() => {
      failed = true;
    });
    return new Response("nobody hears this");
  });
  const request = httpRequest(`${base}/mine`, { method: "POST", headers: { "content-length": "100" } });
  request.on("error", () => undefined);
  request.write("half");
  await new Promise((resolve) => request.once("socket", (socket) => socket.once("connect", resolve)));
  setImmediate(() => request.destroy());
  await until(() => failed);
  assert.equal((await fetch(`${base}/other`)).status, 404);
});
