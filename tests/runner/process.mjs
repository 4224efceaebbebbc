import { spawn } from "node:child_process";
import { root, targetDir } from "../../pkg-template/scripts/environment.mjs";

/** Runs a command, shows what it prints and returns it. */
export function stream(command, args, { cwd = root, env = {} } = {}) {
  targetDir();
  console.log(`$ ${[command, ...args].join(" ").replaceAll(`${root}/`, "")}`);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from.setEncoding("utf8");
      from.on("data", (text) => {
        output += text;
        to.write(text);
      });
    }
    child.on("error", (error) => {
      console.error(error.message);
      resolve({ ok: false, output });
    });
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

/** The exit code of a command as one test. */
export async function check(command, args, options) {
  const { ok } = await stream(command, args, options);
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}
