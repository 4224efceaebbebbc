import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureNpm, root, run, sha256 } from "../../pkg-template/scripts/environment.mjs";

export function tarball() {
  const folder = join(root, "pkg");
  const name = existsSync(folder) ? readdirSync(folder).find((file) => file.endsWith(".tgz")) : undefined;
  if (name === undefined) throw new Error("no tarball in pkg/: run `npm run pack`");
  return join(folder, name);
}

/** Puts the packed package into a test folder's node_modules, as a user's npm would. */
export function installTarball(folder) {
  ensureNpm(folder);
  const hash = sha256(readFileSync(tarball()));
  const installed = join(folder, "node_modules/ackgate");
  const stamp = join(folder, "node_modules/.ackgate-tarball");
  if (existsSync(installed) && existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  // npm keeps a package whose version did not change.
  rmSync(installed, { recursive: true, force: true });
  const quiet = ["--no-fund", "--no-audit", "--loglevel=error"];
  run("npm", ["install", "--no-save", "--no-package-lock", "--prefer-offline", ...quiet, tarball()], { cwd: folder });
  writeFileSync(stamp, hash);
}
