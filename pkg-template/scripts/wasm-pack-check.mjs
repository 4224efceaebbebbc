// Not part of `npm test`: the crate can also be built and tested with wasm-pack, which we need not have installed.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cache, ensureNpm, ensureWasmTarget, main, root, run, targetDir, xtask } from "./environment.mjs";

const VERSION = "0.15.1";

/** wasm-pack looks for wasm-bindgen's tools by name; ours are tasks of xtask. */
function writeShims(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, task] of [
    ["wasm-bindgen", "bindgen"],
    ["wasm-bindgen-test-runner", "test-runner"],
  ]) {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec '${xtask()}' ${task} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

function wasmPack(args, env) {
  console.log(`$ wasm-pack ${args.join(" ")}`);
  run("wasm-pack", args, { env });
}

main(import.meta.url, () => {
  ensureNpm();
  ensureWasmTarget();
  const shims = join(targetDir(), "wasm-pack-shims");
  writeShims(shims);
  const installed = join(cache, "wasm-pack");
  const path = [shims, join(root, "node_modules/.bin"), process.env.PATH, join(installed, "bin")];
  const env = { ...process.env, PATH: path.join(delimiter), WASM_BINDGEN_USE_BROWSER: "1" };
  try {
    run("wasm-pack", ["--version"], { env });
  } catch {
    run("cargo", ["install", "--locked", `wasm-pack@${VERSION}`, "--root", installed]);
  }
  // A folder of its own: cargo gives our build's library the same file name.
  env.CARGO_TARGET_DIR = join(targetDir(), "wasm-pack");
  const out = join(env.CARGO_TARGET_DIR, "pkg");
  wasmPack(["build", "--mode", "no-install", "--out-dir", out, root, "--", "--locked", "--features", "wasm"], env);
  wasmPack(["test", "--mode", "no-install", "--headless", "--chrome", root, "--locked", "--test", "vectors"], env);
});
