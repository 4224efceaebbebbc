// A host of a test as a process.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

export interface Host {
  readonly name: string;
  readonly child: ChildProcess;
  readonly base: string;
}

export async function startHost<O extends { readonly host: string }>(
  options: O,
  program = "kill-host.ts",
): Promise<Host> {
  const args = ["--import", "tsx", program, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { cwd: HERE, stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface(child.stdout)) {
    return { name: options.host, child, base: `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}` };
  }
  throw new Error("a host did not start");
}

/** kill -9. */
export async function killHost({ child }: Host): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
