import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { refuse } from "./http/respond.js";
import type { Handler } from "./types.js";

type Next = (error?: unknown) => void;
/** What body parsers and routers add to a request. */
type Incoming = IncomingMessage & { readonly body?: unknown; readonly originalUrl?: string | undefined };

/** A handler for Express (before or after its body parser), Connect and node:http. Not mine: `next()`, or 404 without one. */
export function toNode(
  handler: Handler,
): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void {
  return (request, response, next) => {
    serve(handler, request, response, next).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (next !== undefined) next(error);
      else send(refuse(500, "internal", "the request failed"), response).catch(() => response.destroy());
    });
  };
}

async function serve(handler: Handler, request: Incoming, response: ServerResponse, next?: Next): Promise<void> {
  const targets = [request.url, request.originalUrl].map(targetOf);
  const target = targets.find((each) => handler.matches(each));
  if (target === undefined) {
    if (next !== undefined) return next();
    return send(refuse(404, "not_found", "no such route"), response);
  }
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const asked = toRequest(request, target, gone.signal);
  const answer = asked === undefined ? notAMethod() : await handler(asked);
  if (!request.complete) {
    // What the handler left unread is drained, or the client would never come to read the answer.
    response.setHeader("connection", "close");
    request.resume();
  }
  await send(answer, response);
}

function toRequest(request: Incoming, target: string, signal: AbortSignal): Request | undefined {
  const method = request.method ?? "GET";
  if (["CONNECT", "TRACE", "TRACK"].includes(method.toUpperCase())) return undefined;
  const headers = headersOf(request);
  const url = originOf(request) + target;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const body = bodyOf(request, headers);
  return new Request(url, { method, headers, signal, body, duplex: "half" } as RequestInit);
}

/** Path and query, as they were sent: `..` is not resolved, what a guard before us saw is what is matched. */
function targetOf(url: string | undefined): string {
  if (url === undefined || url.startsWith("/")) return url ?? "";
  if (!URL.canParse(url)) return "";
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** A Host header is the client's word: anything but a name and a port is replaced. */
function originOf(request: IncomingMessage): string {
  const scheme = (request.socket as { encrypted?: boolean } | undefined)?.encrypted === true ? "https" : "http";
  const origin = `${scheme}://${request.headers.host ?? ""}`;
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) && URL.canParse(origin) ? origin : `${scheme}://localhost`;
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(":")) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) headers.append(name, each);
    }
  }
  return headers;
}

function bodyOf(request: Incoming, headers: Headers): ReadableStream | string | Uint8Array {
  if (!request.readableDidRead && !request.readableEnded) return streamOf(request);
  // A body parser was first: these described bytes that are gone.
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) headers.delete(name);
  const { body } = request;
  if (body === undefined) return "";
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** Unlike `Readable.toWeb`, a cancel leaves the socket alive: the refusal still has to be sent over it. */
function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = request.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function notAMethod(): Response {
  return refuse(405, "bad_request", "the method must be GET or POST", { allow: "GET, POST" });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.on("error", () => undefined);
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    if (name !== "set-cookie") response.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.appendHeader("set-cookie", cookies);
  if (answer.body === null || response.req.method === "HEAD") {
    await answer.body?.cancel();
    response.end();
    return;
  }
  response.flushHeaders();
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  // A client that leaves is no error; the pipeline has cancelled the body by then.
  await pipeline(body, response).catch(() => undefined);
}
