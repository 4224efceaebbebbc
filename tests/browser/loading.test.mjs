import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createServer } from "vite";
import { launch } from "./chromium.mjs";
import { serve } from "./pages.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const html = (specifier) =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module">
    import { createGate } from "${specifier}";
    document.title = typeof createGate;
  </script>`;

const testing = `<!doctype html><link rel="icon" href="data:,"><script type="module">
    import { testGate } from "ackgate/testing";
    const gate = testGate({ tools: { note: () => "function" }, defaultTier: "confirm", answers: { note: "approve" } });
    await gate.clock.advance(1000);
    const ran = await gate.execute({ sessionId: "s1", toolCallId: "c1", toolName: "note", arguments: {} });
    gate.approver.assertDone();
    document.title = ran.result;
  </script>`;

/** Fails with what went wrong in the page. */
async function loads(url) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url);
  try {
    await page.waitForFunction(() => document.title === "function", undefined, { timeout: 10_000 });
  } catch {
    throw new Error(errors.join("\n") || "the page did not load the package");
  } finally {
    await page.close();
  }
}

test("a plain page, no bundler", async (t) => {
  const url = await serve(t, { "/": html("/ackgate/dist/index.web.js"), "/inline": html("/ackgate/dist/inline.js") });
  await loads(`${url}/`);
  await loads(`${url}/inline`);
});

test("a content security policy with wasm-unsafe-eval", async (t) => {
  const headers = { "content-security-policy": "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'" };
  const url = await serve(t, { "/": html("/ackgate/dist/index.web.js") }, headers);
  await loads(`${url}/`);
});

test("vite's development server", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "ackgate-vite-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "index.html"), html("ackgate"));
  writeFileSync(join(root, "testing.html"), testing);
  mkdirSync(join(root, "node_modules"));
  cpSync(join(import.meta.dirname, "node_modules/ackgate"), join(root, "node_modules/ackgate"), { recursive: true });
  const server = await createServer({ root, configFile: false, logLevel: "error", server: { host: "127.0.0.1" } });
  t.after(() => server.close());
  await server.listen();
  await loads(server.resolvedUrls.local[0]);
  await loads(`${server.resolvedUrls.local[0]}testing.html`);
});
