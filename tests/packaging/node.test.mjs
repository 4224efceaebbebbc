import assert from "node:assert/strict";
import { test } from "node:test";
import { output, project } from "./project.mjs";

const run = (folder, file) => output(process.execPath, [file], folder).trim();

test("import", (t) => {
  const folder = project(t, {
    "main.js": 'import { createGate } from "ackgate"; console.log(typeof createGate);',
  });
  assert.equal(run(folder, "main.js"), "function");
});

test("require gives the same module as import", (t) => {
  const folder = project(t, {
    "main.cjs":
      'const required = require("ackgate"); import("ackgate").then((m) => console.log(m.createGate === required.createGate));',
  });
  assert.equal(run(folder, "main.cjs"), "true");
});

test("every entry without a peer loads", (t) => {
  const folder = project(t, {
    "main.js": `for (const entry of ["core", "inline", "node", "postgres", "redis", "testing"]) {
      const names = Object.keys(await import("ackgate/" + entry));
      if (names.length === 0) throw new Error(entry + " exports nothing");
    }
    console.log("loaded");`,
  });
  assert.equal(run(folder, "main.js"), "loaded");
});

test("the testing entry alone makes a gate", (t) => {
  const folder = project(t, {
    "main.js": `import { testGate } from "ackgate/testing";
    const gate = testGate({ tools: { note: () => "noted" }, defaultTier: "confirm", answers: { note: "approve" } });
    const ran = await gate.execute({ sessionId: "s1", toolCallId: "c1", toolName: "note", arguments: {} });
    gate.approver.assertDone();
    console.log(ran.content);`,
  });
  assert.equal(run(folder, "main.js"), '"noted"');
});

test("the stores do without the wasm", (t) => {
  const folder = project(t, {
    "main.js": `globalThis.WebAssembly = undefined;
    const names = await Promise.all(["postgres", "redis"].map((entry) => import("ackgate/" + entry)));
    console.log(names.length);`,
  });
  assert.equal(run(folder, "main.js"), "2");
});

test("nothing else is reachable", (t) => {
  const folder = project(t, {
    "main.js": 'import("ackgate/dist/engine.js").catch((error) => console.log(error.code));',
  });
  assert.equal(run(folder, "main.js"), "ERR_PACKAGE_PATH_NOT_EXPORTED");
});
