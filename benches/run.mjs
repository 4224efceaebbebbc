// `npm run bench -- NAME`: installs the packed package beside the benchmarks, then runs one.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../pkg-template/scripts/environment.mjs";
import { pack } from "../pkg-template/scripts/pack.mjs";
import { installTarball } from "../tests/runner/tarball.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const [name = ""] = process.argv.slice(2);
const file = join(here, `${name}.mjs`);
if (name === "run" || !existsSync(file)) {
  const names = readdirSync(here).filter((each) => each.endsWith(".mjs") && each !== "run.mjs");
  console.error(`which one? ${names.map((each) => each.slice(0, -4)).join(", ")}`);
  process.exit(1);
}
pack();
installTarball(here);
run(process.execPath, [file]);
