import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildTrapWasm } from "../../pkg-template/scripts/build.mjs";
import { ensureNpm, ensureWasmTarget, root, WASM_TARGET, xtask } from "../../pkg-template/scripts/environment.mjs";
import { pack } from "../../pkg-template/scripts/pack.mjs";
import { buildDemo } from "../../web-demo/build.mjs";
import { cargoTest, noJavaScript } from "./cargo.mjs";
import { nodeTest } from "./node-test.mjs";
import { check } from "./process.mjs";
import { withServices } from "./services.mjs";
import { withStreams } from "./streams.mjs";
import { installTarball } from "./tarball.mjs";
import { nothing, sum } from "./totals.mjs";

const wasm = ["--target", WASM_TARGET];
const tests = (name) => join(root, "tests", name);
const tool = (name) => join(tests("node"), "node_modules/.bin", name);
const strict = ["--", "-D", "warnings"];

/** The first program that is missing, as the reason to skip. */
const programs = (...names) => {
  const folders = process.env.PATH.split(delimiter);
  const missing = names.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing && `${missing} is not installed`;
};

async function format() {
  ensureNpm(tests("node"));
  return sum([await check("cargo", ["fmt", "--all", "--check"]), await check(tool("biome"), ["check"])]);
}

async function lint() {
  ensureWasmTarget();
  const clippy = ["clippy", "--locked"];
  return sum([
    await check("cargo", [...clippy, "--all-targets", ...strict]),
    await check("cargo", [...clippy, ...wasm, "--features", "wasm", "--lib", ...strict]),
    await noJavaScript([]),
    await noJavaScript(wasm),
  ]);
}

function wasmVectors(env) {
  ensureWasmTarget();
  const runner = { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: `${xtask()} test-runner` };
  // Not --show-output, which this runner does not know.
  return cargoTest([...wasm, "--test", "vectors", "--", "--nocapture"], { ...runner, ...env });
}

async function types() {
  buildDemo();
  const folders = ["node", "agui"].map(tests);
  const results = [];
  for (const folder of folders) {
    installTarball(folder);
    results.push(await check(tool("tsc"), ["--noEmit", "-p", folder]));
  }
  return sum(results);
}

async function node() {
  installTarball(tests("node"));
  const trap = { ACKGATE_TEST_TRAP_WASM: buildTrapWasm() };
  return withServices((env) => nodeTest(tests("node"), { env: { ...env, ...trap }, args: ["--import", "tsx"] }));
}

async function agui() {
  installTarball(tests("agui"));
  // A stream that never ends would hold up everything.
  const args = ["--import", "tsx", "--import", "./server-line.mjs", "--test-timeout=120000"];
  return withStreams(tests("agui"), async (streams) => {
    const results = [];
    for (const line of ["1.0.0", "0.0.59", "0.0.54"]) {
      const env = { ...streams, ACKGATE_TEST_SERVER_LINE: line };
      results.push(await nodeTest(tests("agui"), { env, args }));
    }
    return sum(results);
  });
}

async function withTarball(name) {
  installTarball(tests(name));
  return nodeTest(tests(name));
}

/**
 * In this order. `quick`: part of `npm run check`. `after`: must have passed. `vectors`: where the golden tables ran.
 * `needs`: why it cannot run here.
 */
export const suites = [
  { name: "format", quick: true, run: format },
  { name: "lint", quick: true, run: lint },
  { name: "native", quick: true, vectors: "native", run: () => cargoTest(["--", "--show-output"]) },
  { name: "wasm", vectors: "node", run: () => wasmVectors({}) },
  {
    name: "browser-vectors",
    vectors: "browser",
    needs: () => programs("chromium", "chromedriver"),
    run: () => wasmVectors({ WASM_BINDGEN_USE_BROWSER: "1" }),
  },
  { name: "pack", quick: true, run: async () => pack() && { ...nothing, passed: 1 } },
  { name: "types", quick: true, after: ["pack"], run: types },
  { name: "node", after: ["pack"], run: node },
  { name: "hosts", after: ["pack"], run: () => withTarball("hosts") },
  { name: "agui", after: ["pack"], run: agui },
  { name: "copilotkit", after: ["pack"], run: () => withTarball("copilotkit") },
  { name: "browser", after: ["pack"], needs: () => programs("chromium"), run: () => withTarball("browser") },
  { name: "packaging", after: ["pack"], run: () => nodeTest(tests("packaging")) },
];
