// Builds dist/node (the server) and dist/page, and checks the types of both, when a source of theirs has changed.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main, root, run, sha256, template } from "../pkg-template/scripts/environment.mjs";

export const folder = import.meta.dirname;
const dist = join(folder, "dist");
const GENERATED = ["dist", ".data", "node_modules"];

function filesUnder(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function hash() {
  const own = readdirSync(folder).filter((name) => !GENERATED.includes(name));
  const folders = own.filter((name) => !name.includes(".")).map((name) => join(folder, name));
  const files = own.filter((name) => name.includes(".")).map((name) => join(folder, name));
  const nested = [...folders, join(template, "dist")].flatMap(filesUnder);
  const all = [...files, ...nested, join(root, "package-lock.json")].sort();
  return sha256(...all.flatMap((file) => [file.slice(root.length), "\0", readFileSync(file), "\0"]));
}

/** Runs a program of an installed package. */
const node = (program, ...args) =>
  run(process.execPath, [join(root, "node_modules", program), ...args], { cwd: folder });

/** The package must be built. */
export function buildDemo() {
  const stamp = join(dist, ".stamp");
  const wanted = hash();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const start = performance.now();
  rmSync(dist, { recursive: true, force: true });
  node("vue-tsc/bin/vue-tsc.js", "--noEmit");
  node("typescript/bin/tsc", "-p", "server");
  node("vite/bin/vite.js", "build", "--logLevel", "warn");
  writeFileSync(stamp, wanted);
  console.log(`build: web-demo ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

main(import.meta.url, buildDemo);
