import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const here = import.meta.dirname;
const readme = join(here, "../../pkg-template/README.md");

/** The README's files: the blocks under `## Hosts`, by the path that each one's first line says. */
export function readmeFiles() {
  const [, section = ""] = readFileSync(readme, "utf8").split("\n## Hosts\n");
  const blocks = section.split("\n## ", 1)[0].matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g);
  return Object.fromEntries([...blocks].map(([, path, text]) => [path, text]));
}

/** Compiles the files beside a user's own with what a test folder has installed; gives the folder of the JavaScript. */
export function compile(t, project, files) {
  const folder = mkdtempSync(join(project, "compiled-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const own of ["notes.ts", "login.ts"]) copyFileSync(join(here, own), join(folder, own));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(here, "tsconfig.json") }));
  try {
    execFileSync(join(project, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error(`the README does not compile:\n${error.stdout}${error.stderr}`);
  }
  return folder;
}

/** Runs one compiled host in a process of its own: where it listens, and the session token of each user. */
export async function start(t, file, { preload = [], env = {} } = {}) {
  const modules = [new URL("free-port.mjs", import.meta.url), ...preload].flatMap(({ href }) => ["--import", href]);
  const stdio = ["ignore", "ignore", "inherit", "ipc"];
  const child = spawn(process.execPath, [...modules, file], { stdio, env: { ...process.env, ...env } });
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill();
    await exited;
  });
  const said = {};
  await new Promise((resolve, reject) => {
    child.on("message", (message) => {
      Object.assign(said, message);
      if (said.port !== undefined) resolve();
    });
    exited.then(() => reject(new Error(`${file} does not listen`)));
  });
  return { base: `http://127.0.0.1:${said.port}`, sessions: said.sessions };
}

/** How somebody's browser sends a request; nobody has no session. */
export const as = ({ sessions }, user) =>
  user === undefined ? {} : { cookie: `theme=dark; session=${sessions[user]}` };

/** The answer to somebody's decision. */
export async function decide(host, user, { threadId, confirmationId, approved = true }) {
  const response = await fetch(`${host.base}/api/ack/confirmation`, {
    method: "POST",
    headers: { "content-type": "application/json", ...as(host, user) },
    body: JSON.stringify({ threadId, confirmationId, approved }),
  });
  return { status: response.status, path: response.ok ? (await response.json()).path : undefined };
}

/** What is open for somebody in a thread. */
export async function pending(host, user, threadId) {
  const url = `${host.base}/api/ack/confirmations?threadId=${threadId}`;
  return (await fetch(url, { headers: as(host, user) })).json();
}
