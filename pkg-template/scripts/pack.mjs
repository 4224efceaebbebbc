// Packs pkg/ackgate-VERSION.tgz, the file that users install and the tests test.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { main, root, template } from "./environment.mjs";

const REQUIRED = [
  "package.json",
  "LICENSE",
  "dist/index.node.js",
  "dist/index.node.d.ts",
  "dist/index.web.js",
  "dist/index.web.d.ts",
  "dist/wasm/ackgate_bg.js",
  "dist/wasm/ackgate_bg.d.ts",
  "dist/wasm/ackgate_bg.wasm",
];

/** Returns the path of the tarball. */
export function pack() {
  build();
  const folder = join(root, "pkg");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  cpSync(join(root, "LICENSE"), join(template, "LICENSE"));
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: template,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [packed] = JSON.parse(output);
  const files = packed.files.map((file) => file.path);
  const missing = REQUIRED.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`the tarball lacks ${missing.join(", ")}`);
  console.log(files.join("\n"));
  console.log(`pack: pkg/${packed.filename} ${packed.size} bytes, ${packed.unpackedSize} unpacked`);
  return join(folder, packed.filename);
}

main(import.meta.url, pack);
