import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../pkg-template/scripts/environment.mjs";
import { tarball } from "../runner/tarball.mjs";
import { output } from "./project.mjs";

const bin = (name) => join(import.meta.dirname, "node_modules/.bin", name);

test("publint", () => {
  output(bin("publint"), ["--strict", tarball()], root);
});

test("are the types wrong", () => {
  const options = ["--profile", "esm-only", "--exclude-entrypoints", "ackgate_bg.wasm"];
  output(bin("attw"), [tarball(), ...options], root);
});

test("lock files name no registry", () => {
  const locks = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*package-lock.json"], {
    cwd: root,
    encoding: "utf8",
  });
  const named = locks
    .trim()
    .split("\n")
    .filter((file) => /"resolved": "[a-z+]*:/.test(readFileSync(join(root, file), "utf8")));
  assert.deepEqual(named, [], "write them with omit-lockfile-registry-resolved=true");
});
