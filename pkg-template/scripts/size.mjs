// How big the module is, built for size and for speed, and what takes the room. Nothing of dist is touched.
//   node pkg-template/scripts/size.mjs [--functions]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { bindgen, cargo, optimise } from "./build.mjs";
import { ensureNpm, ensureWasmTarget, main, targetDir } from "./environment.mjs";
import { byPart, functions } from "./wasm-map.mjs";

const BUILDS = [
  { level: "s", optimiser: "-Oz" },
  { level: 3, optimiser: "-O3" },
];
/** Smaller parts and functions are summed up. */
const WORTH_A_LINE = 1024;

const row = (bytes, ...texts) => console.log([String(bytes).padStart(9), ...texts].join("  "));

/** One build, optimised twice: as it is shipped, and with its names for the map. */
function measured({ level, optimiser }) {
  const folder = join(targetDir(), "size");
  const flags = ["-Csymbol-mangling-version=v0"];
  const named = bindgen(cargo("wasm", folder, { level, flags }), join(folder, `bindgen-${level}`), [
    "--remove-producers-section",
  ]);
  const [shipped, mapped] = [join(folder, `shipped-${level}.wasm`), join(folder, `mapped-${level}.wasm`)];
  optimise(named, shipped, optimiser, "--strip-debug");
  optimise(named, mapped, optimiser, "--debuginfo");
  return { shipped: readFileSync(shipped), mapped: functions(readFileSync(mapped)) };
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

main(import.meta.url, () => {
  ensureNpm();
  ensureWasmTarget();
  const results = BUILDS.map((build) => ({ ...build, ...measured(build) }));
  console.log(`\n${"raw".padStart(9)}  ${"gzip".padStart(9)}  ${"brotli".padStart(9)}  build`);
  for (const { level, optimiser, shipped } of results) {
    const sizes = [gzipSync(shipped, { level: 9 }), brotliCompressSync(shipped)].map(({ length }) =>
      String(length).padStart(9),
    );
    row(shipped.length, ...sizes, `opt-level ${level}, wasm-opt ${optimiser}`);
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
