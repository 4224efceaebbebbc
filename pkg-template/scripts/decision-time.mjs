// How long a module takes for a decision: a policy with a thousand rules, a plain command and a compound one.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const RULES = 1_000;
const COMMANDS = ["npm run task-77", 'cd src && env A=1 cargo test | tail -5 > /tmp/out && git commit -m "$(date)"'];
const [WARM_UP, ROUNDS] = [200, 2_000];

/** Microseconds per decision for each of the commands, of the module `wasm` with the glue in `folder`. */
export async function decisionTimes(wasm, folder) {
  const engine = await import(pathToFileURL(join(folder, "ackgate_bg.js")).href);
  const module = new WebAssembly.Module(readFileSync(wasm));
  const { exports } = new WebAssembly.Instance(module, { "./ackgate_bg.js": engine });
  engine.__wbg_set_wasm(exports);
  exports.__wbindgen_start?.();
  const allow = Array.from({ length: RULES }, (_, index) => `Bash(npm run task-${index})`);
  const layers = JSON.stringify([{ name: "policy.json", text: JSON.stringify({ version: 1, allow }) }]);
  const { number } = ok(engine.compile(layers, "{}", "{}"));
  return COMMANDS.map((command) => {
    const question = JSON.stringify({ toolName: "Bash", command, want: "decision" });
    const decide = () => ok(engine.ask(number, question));
    for (let round = 0; round < WARM_UP; round += 1) decide();
    const start = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) decide();
    return ((performance.now() - start) * 1_000) / ROUNDS;
  });
}

function ok(answer) {
  const { ok, error } = JSON.parse(answer);
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return ok;
}
