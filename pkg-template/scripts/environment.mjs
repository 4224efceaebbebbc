// What every script here needs first: the folders, and what is not installed yet.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const template = join(root, "pkg-template");
export const cache = join(homedir(), ".cache/ackgate");
export const WASM_TARGET = "wasm32-unknown-unknown";

export const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

/** One for each checkout: in a shared one cargo takes the `libackgate.rlib` of another checkout for its own. */
export function targetDir() {
  process.env.CARGO_TARGET_DIR ??= join(cache, `target-${sha256(root).slice(0, 12)}`);
  return process.env.CARGO_TARGET_DIR;
}

export function run(command, args, options = {}) {
  targetDir();
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (error?.code === "ENOENT") throw new Error(`\`${command}\` is not installed`);
  if (status !== 0) throw new Error(`failed: ${[command, ...args].join(" ").replaceAll(`${root}/`, "")}`);
}

/** Runs `work` when the module is the one that was started, and reports an error in one line. */
export async function main(url, work) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  try {
    await work();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

export function ensureWasmTarget() {
  const installed = execFileSync("rustup", ["target", "list", "--installed"], { cwd: root, encoding: "utf8" });
  if (!installed.includes(WASM_TARGET)) run("rustup", ["target", "add", WASM_TARGET]);
}

/** Builds xtask, in a folder that all checkouts with the same tools share, and returns its path. */
export function xtask() {
  const sources = ["Cargo.lock", "rust-toolchain.toml", "xtask/Cargo.toml", "xtask/src/main.rs"];
  const key = sha256(...sources.map((file) => readFileSync(join(root, file))));
  const folder = join(cache, `tools-${key.slice(0, 12)}`);
  const program = join(folder, "debug/xtask");
  if (!existsSync(program)) run("cargo", ["build", "--locked", "-p", "xtask", "--target-dir", folder]);
  return program;
}

/** `npm ci` in a folder with a lock file, unless exactly that lock file is installed. */
export function ensureNpm(folder = root) {
  const lock = sha256(readFileSync(join(folder, "package-lock.json")));
  const stamp = join(folder, "node_modules/.ackgate-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.log(`npm ci in ${folder === root ? "." : folder.slice(root.length + 1)}`);
  run("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], { cwd: folder });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lock);
}
