import { stream } from "./process.mjs";
import { nothing, sum } from "./totals.mjs";

const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm;
const VECTORS = /^\s*vectors: (\d+)/m;

/** `cargo test`: every result line counted, and the number of vectors that the run printed. */
export async function cargoTest(args, env) {
  const { ok, output } = await stream("cargo", ["test", "--locked", "--no-fail-fast", ...args], { env });
  const results = [...output.matchAll(RESULT)].map(([, passed, failed, skipped]) => ({
    passed: Number(passed),
    failed: Number(failed),
    skipped: Number(skipped),
  }));
  const total = sum([nothing, ...results]);
  if (!ok && total.failed === 0) total.failed = 1;
  const vectors = VECTORS.exec(output)?.[1];
  return { ...total, vectors: vectors === undefined ? undefined : Number(vectors) };
}

/** Only the feature `wasm` may bring in a crate that knows JavaScript. */
export async function noJavaScript(target) {
  const args = ["tree", "--locked", "--edges", "normal", "--prefix", "none", ...target];
  const { ok, output } = await stream("cargo", args);
  const found = output.match(/^(wasm-bindgen|js-sys|web-sys|getrandom)\b.*$/gm);
  if (found !== null) console.error(`a JavaScript crate without the feature \`wasm\`: ${found}`);
  const failed = ok && found === null ? 0 : 1;
  return { passed: 1 - failed, failed, skipped: 0 };
}
