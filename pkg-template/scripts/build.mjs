// Builds dist: cargo, wasm-bindgen (of the version in Cargo.lock), wasm-opt, tsc.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  ensureNpm,
  ensureWasmTarget,
  main,
  root,
  run,
  sha256,
  targetDir,
  template,
  WASM_TARGET,
  xtask,
} from "./environment.mjs";
import { numbered } from "./function-order.mjs";
import { checkExportTypes, checkGlue, checkModule, declarations } from "./glue.mjs";

const generated = join(template, "src/wasm");
const dist = join(template, "dist");

function stage(name, work) {
  const start = performance.now();
  const result = work();
  console.log(`build: ${name} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** The module with `feature`, built in `folder`; `level` in place of the profile's opt-level. Returns its path. */
export function cargo(feature, folder, level) {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const args = ["build", "--locked", "--release", "--lib", "--target", WASM_TARGET, "--features", feature];
  if (level !== undefined) args.push("--config", `profile.release.opt-level=${JSON.stringify(level)}`);
  // The same bytes whoever builds, names that say of what type a function is, and the smaller code of SHA-256.
  const rustFlags = [
    `--remap-path-prefix=${cargoHome}=/cargo`,
    "-Csymbol-mangling-version=v0",
    '--cfg=sha2_backend_soft="compact"',
  ];
  run("cargo", [...args, "--target-dir", folder], {
    env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: rustFlags.join("\x1f") },
  });
  return join(folder, WASM_TARGET, "release/ackgate.wasm");
}

/** The module and its glue in `folder`. Returns the module's path. */
export function bindgen(wasm, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = ["--target", "bundler", "--out-dir", folder, "--out-name", "ackgate"];
  run(xtask(), ["bindgen", wasm, ...names, "--remove-producers-section"]);
  return join(folder, "ackgate_bg.wasm");
}

function writeGlue(out) {
  const glue = readFileSync(join(out, "ackgate_bg.js"), "utf8");
  checkGlue(glue);
  checkExportTypes(readFileSync(join(out, "ackgate_bg.wasm.d.ts"), "utf8"));
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  writeFileSync(join(generated, "ackgate_bg.js"), glue);
  const types = declarations(readFileSync(join(out, "ackgate.d.ts"), "utf8"), glue);
  writeFileSync(join(generated, "ackgate_bg.d.ts"), types);
  cpSync(join(out, "ackgate_bg.wasm.d.ts"), join(generated, "ackgate_bg.wasm.d.ts"));
  const wireTypes = join(root, "src/wasm/types.ts");
  if (existsSync(wireTypes)) cpSync(wireTypes, join(generated, "types.ts"));
}

/** Small when compressed: no bodies moved into their only caller. */
export const SMALLEST = ["-Oz", "--converge", "--one-caller-inline-max-function-size=1"];

/** The optimised module at `to`, similar functions side by side, with their names: the order goes by them. */
export function optimise(from, to, passes = SMALLEST) {
  wasmOpt(from, to, ...passes, "--debuginfo");
  writeFileSync(to, numbered(readFileSync(to)));
  wasmOpt(to, to, "--reorder-functions-by-name", "--debuginfo");
}

export function stripNames(from, to) {
  wasmOpt(from, to, "--strip-debug");
}

function wasmOpt(from, to, ...flags) {
  run(process.execPath, [join(root, "node_modules/binaryen/bin/wasm-opt"), ...flags, from, "-o", to]);
}

/** The module may be so big when compressed: what a page loads of it. */
const MOST_GZIP = 220 * 1024;

function writeInline() {
  const bytes = readFileSync(join(generated, "ackgate_bg.wasm"));
  checkModule(bytes);
  const gzip = gzipSync(bytes, { level: 9 }).length;
  if (gzip > MOST_GZIP) throw new Error(`the module has ${gzip} bytes gzipped, more than ${MOST_GZIP}`);
  const inline = `export const base64: string = "${bytes.toString("base64")}";\n`;
  writeFileSync(join(generated, "ackgate_bg.base64.ts"), inline);
  const compressed = `gzip -9 ${gzip}, brotli ${brotliCompressSync(bytes).length}`;
  console.log(`build: wasm ${bytes.length} bytes, ${compressed}`);
}

function compile() {
  rmSync(dist, { recursive: true, force: true });
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", template]);
  for (const file of ["ackgate_bg.js", "ackgate_bg.d.ts", "ackgate_bg.wasm"]) {
    cpSync(join(generated, file), join(dist, "wasm", file));
  }
}

function filesUnder(path) {
  if (path === generated) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

function hashOf(...paths) {
  const files = paths.map((path) => join(root, path)).flatMap(filesUnder);
  return sha256(...files.flatMap((file) => [file.slice(root.length), "\0", readFileSync(file), "\0"]));
}

function buildWasm() {
  ensureWasmTarget();
  const out = join(targetDir(), "bindgen");
  const wasm = stage("cargo", () => cargo("wasm", targetDir()));
  stage("wasm-bindgen", () => bindgen(wasm, out));
  writeGlue(out);
  const named = join(out, "named.wasm");
  stage("wasm-opt", () => optimise(join(out, "ackgate_bg.wasm"), named));
  stripNames(named, join(generated, "ackgate_bg.wasm"));
  writeInline();
}

function step(stamp, hash, work) {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return false;
  rmSync(stamp, { force: true });
  work();
  writeFileSync(stamp, hash);
  return true;
}

export function build() {
  ensureNpm();
  const tools = ["package-lock.json", "pkg-template/scripts"];
  const rust = hashOf("src", "xtask", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ...tools);
  const built = step(join(generated, ".stamp"), rust, buildWasm);
  const typescript = sha256(rust, hashOf("pkg-template/src", "pkg-template/tsconfig.json"));
  const distStamp = join(generated, ".stamp-dist");
  if (!existsSync(dist)) rmSync(distStamp, { force: true });
  const compiled = step(distStamp, typescript, () => stage("tsc", compile));
  if (!built && !compiled) console.log("build: up to date");
}

/** The module with the export `trap_marker`, for the shipped glue. Returns its path. */
export function buildTrapWasm() {
  ensureWasmTarget();
  // A folder of its own: cargo gives both variants the same file name.
  const folder = join(targetDir(), "trap");
  const out = join(folder, "bindgen");
  bindgen(
    stage("cargo (trap)", () => cargo("trap", folder)),
    out,
  );
  return join(out, "ackgate_bg.wasm");
}

main(import.meta.url, () => {
  if (process.argv.includes("--trap")) console.log(buildTrapWasm());
  else build();
});
