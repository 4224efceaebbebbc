import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tarball } from "../runner/tarball.mjs";

/** A fresh folder with the tarball installed and these files, removed when the test ends. */
export function project(t, files) {
  const folder = mkdtempSync(join(tmpdir(), "ackgate-project-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const manifest = { name: "project", private: true, type: "module" };
  for (const [name, content] of Object.entries({ "package.json": JSON.stringify(manifest), ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const quiet = ["--no-fund", "--no-audit", "--loglevel=error", "--no-package-lock"];
  execFileSync("npm", ["install", ...quiet, tarball()], { cwd: folder });
  return folder;
}

/** What the command printed; its output is the error when it fails. */
export function output(command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${error.stdout}${error.stderr}`);
  }
}
