// How big the module is, built for size and for speed, and what takes the room. Nothing of dist is touched.
//   node pkg-template/scripts/size.mjs [--functions]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { bindgen, cargo, optimise, SMALLEST, stripNames } from "./build.mjs";
import { decisionTimes } from "./decision-time.mjs";
import { ensureNpm, ensureWasmTarget, main, targetDir } from "./environment.mjs";
import { byPart, functions } from "./wasm-map.mjs";

/** The first is the one that is shipped. */
const BUILDS = [
  { level: "z", passes: SMALLEST },
  { level: "s", passes: SMALLEST },
  { level: 3, passes: ["-O3"] },
];
/** Smaller parts and functions are summed up. */
const WORTH_A_LINE = 1024;

const row = (bytes, ...texts) => console.log([String(bytes).padStart(9), ...texts].join("  "));

/** One build, as it is shipped and with its names for the map. */
async function measured({ level, passes }) {
  const folder = join(targetDir(), "size");
  const glue = join(folder, `bindgen-${level}`);
  const named = bindgen(cargo("wasm", folder, level), glue);
  const [shipped, mapped] = [join(folder, `shipped-${level}.wasm`), join(folder, `mapped-${level}.wasm`)];
  optimise(named, mapped, passes);
  stripNames(mapped, shipped);
  const times = await decisionTimes(shipped, glue);
  return { level, passes, times, shipped: readFileSync(shipped), mapped: functions(readFileSync(mapped)) };
}

function table(title, rows) {
  console.log(`\n${title}`);
  const [big, small] = [
    rows.filter(([, bytes]) => bytes >= WORTH_A_LINE),
    rows.filter(([, bytes]) => bytes < WORTH_A_LINE),
  ];
  for (const [name, bytes] of big) row(bytes, name);
  row(
    small.reduce((sum, [, bytes]) => sum + bytes, 0),
    `${small.length} smaller ones`,
  );
}

main(import.meta.url, async () => {
  ensureNpm();
  ensureWasmTarget();
  const results = [];
  for (const build of BUILDS) results.push(await measured(build));
  console.log(`\n${["raw", "gzip", "brotli"].map((word) => word.padStart(9)).join("  ")}  us a decision  build`);
  for (const { level, passes, times, shipped } of results) {
    const sizes = [gzipSync(shipped, { level: 9 }), brotliCompressSync(shipped)].map(({ length }) =>
      String(length).padStart(9),
    );
    const decisions = times.map((us) => us.toFixed(1).padStart(6)).join(" ");
    row(shipped.length, ...sizes, decisions, `opt-level ${level}, wasm-opt ${passes.join(" ")}`);
  }
  const [{ mapped }] = results;
  table(`code ${mapped.code}, data ${mapped.data}, ${mapped.list.length} functions; code by part`, byPart(mapped.list));
  if (process.argv.includes("--functions")) {
    const list = mapped.list.map(({ name, bytes }) => [name.replace(/\[[0-9a-f]+\]/g, ""), bytes]);
    table(
      "code by function",
      list.sort((a, b) => b[1] - a[1]),
    );
  }
});
