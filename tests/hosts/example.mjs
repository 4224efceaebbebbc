import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const here = import.meta.dirname;
const readme = join(here, "../../pkg-template/README.md");

/** The README's files: the blocks under `## Hosts`, by the path that each one's first line says. */
export function readmeFiles() {
  const [, section = ""] = readFileSync(readme, "utf8").split("\n## Hosts\n");
  const blocks = section.split("\n## ", 1)[0].matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g);
  return Object.fromEntries([...blocks].map(([, path, text]) => [path, text]));
}

/** Compiles the files beside a user's own, strictly, and gives the folder of the JavaScript. */
export function compile(t, files) {
  const folder = mkdtempSync(join(here, "compiled-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const own of ["notes.ts", "login.ts"]) copyFileSync(join(here, own), join(folder, own));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../tsconfig.json" }));
  try {
    execFileSync(join(here, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error(`the README does not compile:\n${error.stdout}${error.stderr}`);
  }
  return folder;
}

/** Runs one compiled host in a process of its own: where it listens, and the session token of each user. */
export async function start(t, file) {
  const preload = new URL("free-port.mjs", import.meta.url).href;
  const child = spawn(process.execPath, ["--import", preload, file], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill();
    await exited;
  });
  const said = {};
  for await (const line of createInterface(child.stdout)) {
    Object.assign(said, JSON.parse(line));
    if (said.port !== undefined) break;
  }
  if (said.port === undefined) throw new Error(`${file} does not listen`);
  return { base: `http://127.0.0.1:${said.port}`, sessions: said };
}
