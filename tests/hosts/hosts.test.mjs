// The README's hosts, compiled and run as they stand: a client, an agent whose tool asks, and who may answer.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { as, compile, decide, pending, readmeFiles, start } from "./example.mjs";

// CopilotKit has a suite of its own.
const { "copilotkit.ts": _, ...files } = readmeFiles();
const HOSTS = ["node-http", "express", "express-parser-last", "hono", "route-handlers"];

/** A framework that finds a route by its file and calls what it exports for the method. */
const ROUTE_HANDLERS = `
import { serve } from "@hono/node-server";
import * as route from "./app/api/[...path]/route.js";

const methods: Record<string, (request: Request) => Promise<Response>> = route;
const none = async () => new Response(null, { status: 405 });
serve({ fetch: (request) => (methods[request.method] ?? none)(request), port: 8080 });
`;

/** The same two lines of the Express host in the other order. */
function parserLast(text) {
  const swapped = text.replace(/(app\.use\(express\.json.*\n)(app\.use\(toNode.*\n)/, "$2$1");
  assert.notEqual(swapped, text);
  return swapped;
}

test("the README's hosts", { timeout: 120_000 }, async (t) => {
  const examples = ["gate.ts", "ack.ts", "node-http.ts", "express.ts", "hono.ts", "app/api/[...path]/route.ts"];
  assert.deepEqual(Object.keys(files), examples);
  const folder = compile(t, import.meta.dirname, {
    ...files,
    "express-parser-last.ts": parserLast(files["express.ts"]),
    "route-handlers.ts": ROUTE_HANDLERS,
  });
  for (const host of HOSTS) await t.test(host, (t) => approve(t, join(folder, `${host}.js`)));
});

async function approve(t, file) {
  const host = await start(t, file);
  const threadId = "t1";
  const agent = new HttpAgent({ url: `${host.base}/api/agui`, threadId, headers: as(host, "ann") });
  agent.addMessage({ id: "m1", role: "user", content: "clean up" });
  const statuses = [];
  const results = [];
  let answered = Promise.resolve();
  const answer = async ({ confirmationId }) => {
    const card = { threadId, confirmationId };
    assert.deepEqual(await decide(host, undefined, card), { status: 401, path: undefined }, "nobody");
    assert.deepEqual(await decide(host, "bob", card), { status: 404, path: undefined }, "somebody else");
    assert.equal((await pending(host, "ann", threadId))[0].confirmationId, confirmationId);
    assert.deepEqual(await decide(host, "ann", card), { status: 200, path: "live" });
  };
  await agent.runAgent(
    {},
    {
      onCustomEvent({ event: { value } }) {
        statuses.push(value.status);
        // Not awaited here: the stream goes on while the person thinks.
        if (value.status === "pending") answered = answer(value);
        answered.catch(() => agent.abortRun());
      },
      onToolCallResultEvent({ event }) {
        results.push(event.content);
      },
    },
  );
  await answered;
  assert.deepEqual(statuses, ["pending", "approved"]);
  assert.deepEqual(results, ['{"deleted":"n1","calls":1}']);
  assert.deepEqual(await pending(host, "ann", threadId), []);
}
