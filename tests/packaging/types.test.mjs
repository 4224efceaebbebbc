import { join } from "node:path";
import { test } from "node:test";
import { output, project } from "./project.mjs";

const bin = (name) => join(import.meta.dirname, "node_modules/.bin", name);
const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];
const source = 'import { createGate } from "ackgate";\nexport const make: Function = createGate;\n';

function check(t, options) {
  const folder = project(t, { "main.ts": source });
  output(bin("tsc"), [...strict, ...options, "main.ts"], folder);
}

// The declarations are checked too: no --skipLibCheck.
test("a Node project", (t) => {
  const roots = ["--typeRoots", join(import.meta.dirname, "node_modules/@types")];
  check(t, ["--module", "nodenext", "--lib", "es2022,esnext.disposable", "--types", "node", ...roots]);
});

test("a browser project with a bundler", (t) => {
  const libraries = "es2022,dom,dom.iterable,dom.asynciterable,esnext.disposable";
  check(t, ["--module", "preserve", "--moduleResolution", "bundler", "--lib", libraries]);
});
