import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "vite";
import { project } from "./project.mjs";

/** Builds a page that imports this entry, without a plugin or setting, and returns the folder of what came out. */
async function bundle(t, entry) {
  const folder = project(t, {
    "index.html": '<script type="module" src="./main.js"></script>',
    "main.js": `import { createGate } from "${entry}"; document.title = typeof createGate;`,
  });
  await build({ root: folder, configFile: false, logLevel: "error" });
  return join(folder, "dist/assets");
}

const scriptIn = (assets) => {
  const name = readdirSync(assets).find((file) => file.endsWith(".js"));
  return readFileSync(join(assets, name), "utf8");
};

test("vite build emits the wasm", async (t) => {
  const assets = await bundle(t, "ackgate");
  const wasm = readdirSync(assets).find((name) => name.endsWith(".wasm"));
  assert.ok(wasm, readdirSync(assets).join(", "));
  assert.ok(scriptIn(assets).includes(wasm));
});

test("vite build keeps the wasm of the inline entry", async (t) => {
  const assets = await bundle(t, "ackgate/inline");
  const magic = Buffer.from("\0asm\x01\0").toString("base64");
  assert.ok(scriptIn(assets).includes(magic));
});
