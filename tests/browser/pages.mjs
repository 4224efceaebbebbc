import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Serves these pages, and the installed package under /ackgate/. */
export async function serve(t, pages, headers = {}) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const page = pages[path];
    if (page === undefined && !path.startsWith("/ackgate/")) return void response.writeHead(404).end();
    const body = page ?? readFileSync(new URL(`node_modules${path}`, import.meta.url));
    response.writeHead(200, { "content-type": TYPES[page ? ".html" : extname(path)], ...headers }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}
