// A PostgreSQL and a Redis of our own for the tests of the stores, on free ports, gone afterwards.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function waitFor(port) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const open = await new Promise((resolve) => {
      const socket = createConnection(port, "127.0.0.1");
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`nothing listens on port ${port}`);
}

function postgresPrograms() {
  const folder = "/usr/lib/postgresql";
  const version = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined;
  return version && join(folder, version, "bin");
}

async function startPostgres(folder) {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const asRoot = process.getuid() === 0;
  // PostgreSQL refuses to run as root.
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const owner = asRoot ? { uid: id("-u"), gid: id("-g") } : {};
  if (asRoot) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const options = { ...owner, cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "ackgate", "-A", "trust", "-E", "UTF8", "--no-sync"],
    options,
  );
  const port = await freePort();
  const settings = ["-p", port, "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"].map(String);
  const server = spawn(join(programs, "postgres"), ["-D", data, ...settings], { ...options, stdio: "ignore" });
  await waitFor(port);
  return { url: `postgres://ackgate@127.0.0.1:${port}/postgres`, stop: () => ended(server, "SIGINT") };
}

async function startRedis(folder) {
  if (!existsSync("/usr/bin/redis-server")) return undefined;
  const port = await freePort();
  const args = ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder].map(String);
  const server = spawn("redis-server", args, { stdio: "ignore" });
  await waitFor(port);
  return { url: `redis://127.0.0.1:${port}`, stop: () => ended(server, "SIGTERM") };
}

const ended = (child, signal) =>
  new Promise((resolve) => {
    child.on("exit", resolve);
    child.kill(signal);
  });

/** ACKGATE_TEST_PG and ACKGATE_TEST_REDIS are set for what is installed; the tests skip by name what is not. */
export async function withServices(work) {
  const folder = mkdtempSync(join(tmpdir(), "ackgate-services-"));
  chmodSync(folder, 0o755);
  const running = [];
  try {
    const env = {};
    for (const [name, start] of [
      ["ACKGATE_TEST_PG", startPostgres],
      ["ACKGATE_TEST_REDIS", startRedis],
    ]) {
      const service = await start(mkdtempSync(join(folder, "service-")));
      if (service === undefined) continue;
      running.push(service);
      env[name] = service.url;
    }
    return await work(env);
  } finally {
    for (const service of running) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
