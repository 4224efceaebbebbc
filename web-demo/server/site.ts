import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "base-uri 'none'",
  "form-action 'none'",
  // Nobody puts the page with the Approve button under a page of their own.
  "frame-ancestors 'none'",
].join("; ");

/** The built page, read once: a request can only name a file that was there. The page itself comes with the cookie. */
export function site(folder: string, setCookie: string): (request: IncomingMessage, response: ServerResponse) => void {
  const files = filesUnder(folder);
  return (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const name = path === "/" ? "/index.html" : path;
    const file = files.get(name);
    if (file === undefined) return void response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
    if (request.method !== "GET" && request.method !== "HEAD") {
      return void response.writeHead(405, { allow: "GET, HEAD" }).end();
    }
    const hashed = name.startsWith("/assets/");
    response.writeHead(200, {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "content-length": file.length,
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
      ...(path === "/" && { "set-cookie": setCookie }),
    });
    response.end(request.method === "HEAD" ? undefined : file);
  };
}

function filesUnder(folder: string): ReadonlyMap<string, Buffer> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [`/${relative(folder, path).split(sep).join("/")}`, readFileSync(path)]));
}
