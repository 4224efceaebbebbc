// `npm run torture`: the kill test with 500 confirmations on each store; ACKGATE_KILL_SEED repeats one.
import { join } from "node:path";
import { root, run } from "../pkg-template/scripts/environment.mjs";
import { pack } from "../pkg-template/scripts/pack.mjs";
import { withServices } from "./runner/services.mjs";
import { installTarball } from "./runner/tarball.mjs";

const here = join(root, "tests/node");
pack();
installTarball(here);
await withServices(async (services) => {
  const env = { ACKGATE_KILLS: "500", ...process.env, ...services };
  run(process.execPath, ["--import", "tsx", "--test", "--test-reporter=spec", "kill.test.ts"], { cwd: here, env });
});
