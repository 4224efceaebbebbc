// The demo as a person starts it, on a free port with a folder of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = join(import.meta.dirname, "../../web-demo/start.mjs");

/** Gone when the tests are over. */
export function dataFolder() {
  const folder = mkdtempSync(join(tmpdir(), "ackgate-demo-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts it and waits for its address. `kill` gives it no time to say goodbye. */
export async function startDemo(data, address = "127.0.0.1:0") {
  const env = { ...process.env, NOTES_ADDR: address, NOTES_DATA: data };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
    process.stderr.write(text);
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /^notes assistant: (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, address: new URL(url).host, kill };
  }
  throw new Error(`the demo did not start: ${errors}`);
}
