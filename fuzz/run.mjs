// `npm run fuzz -- MINUTES [TARGET]`: cargo-fuzz on each target for so long, where a nightly toolchain is.
// What it finds interesting is kept in fuzz/corpus, made small; `npm test` replays that on stable.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root, run } from "../pkg-template/scripts/environment.mjs";

const CARGO_FUZZ = "0.13.2";
const TARGETS = ["document", "content", "command"];

const [minutes = "10", only] = process.argv.slice(2);
if (!(Number(minutes) > 0) || (only !== undefined && !TARGETS.includes(only))) {
  console.error(`usage: npm run fuzz -- MINUTES [${TARGETS.join(" | ")}]`);
  process.exit(1);
}
const toolchains = spawnSync("rustup", ["toolchain", "list"], { encoding: "utf8" }).stdout ?? "";
if (!toolchains.includes("nightly")) {
  console.error("fuzzing needs a nightly toolchain: `rustup toolchain install nightly`");
  process.exit(1);
}
const cache = join(homedir(), ".cache/ackgate");
const tools = join(cache, `cargo-fuzz-${CARGO_FUZZ}`);
const tool = join(tools, "bin/cargo-fuzz");
if (!existsSync(tool)) run("cargo", ["install", "cargo-fuzz", "--version", CARGO_FUZZ, "--locked", "--root", tools]);

const env = { ...process.env, RUSTUP_TOOLCHAIN: "nightly", CARGO_TARGET_DIR: join(cache, "fuzz-target") };
const corpus = (target) => join(root, "fuzz/corpus", target);
for (const target of only === undefined ? TARGETS : [only]) {
  const work = join(cache, "fuzz-work", target);
  mkdirSync(work, { recursive: true });
  const limits = [
    `-max_total_time=${Math.round(Number(minutes) * 60)}`,
    "-timeout=10",
    "-max_len=4096",
    "-print_final_stats=1",
  ];
  run(tool, ["run", "-s", "none", target, work, corpus(target), "--", ...limits], { cwd: root, env });
  // Of all inputs the fewest that reach the same.
  const small = join(cache, "fuzz-work", `${target}-small`);
  rmSync(small, { recursive: true, force: true });
  mkdirSync(small);
  run(tool, ["run", "-s", "none", target, small, corpus(target), work, "--", "-merge=1", "-max_len=1024"], {
    cwd: root,
    env,
  });
  console.log(
    `fuzz: ${target}: ${readdirSync(small).length} inputs reach everything, ${readdirSync(corpus(target)).length} are kept`,
  );
  console.log(`fuzz: ${target}: copy from ${small} what fuzz/corpus should keep`);
}
