// A PostgreSQL and a Redis of our own for the tests of the stores, on free ports, gone afterwards.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function waitFor(port, server) {
  for (let attempt = 0; attempt < 600 && server.exitCode === null; attempt += 1) {
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

const installed = (program, folders) => folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
const path = () => (process.env.PATH ?? "").split(delimiter);

/** What a distribution keeps beside the path, the newest first. */
function postgresFolders() {
  const folder = "/usr/lib/postgresql";
  const versions = existsSync(folder) ? readdirSync(folder) : [];
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(folder, version, "bin"));
}

/** Whom PostgreSQL runs as: it refuses to be root. */
function owner() {
  if (process.getuid() !== 0) return {};
  const id = (user, flag) => Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: "pipe" }));
  for (const user of ["postgres", "nobody"]) {
    try {
      return { uid: id(user, "-u"), gid: id(user, "-g") };
    } catch {}
  }
  throw new Error("there is neither a user `postgres` nor `nobody` to run PostgreSQL as");
}

async function startPostgres(folder) {
  const folders = [...path(), ...postgresFolders()];
  const [initdb, postgres] = ["initdb", "postgres"].map((program) => installed(program, folders));
  if (initdb === undefined || postgres === undefined) return undefined;
  const as = owner();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, "data");
  const options = { ...as, cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
  execFileSync(initdb, ["-D", data, "-U", "ackgate", "-A", "trust", "-E", "UTF8", "--no-sync"], options);
  const port = await freePort();
  const settings = ["-p", port, "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"].map(String);
  let server;
  const start = async () => {
    server = spawn(postgres, ["-D", data, ...settings], { ...options, stdio: "ignore" });
    await waitFor(port, server);
    // It listens before it takes anybody in; the last line of this file says when it does.
    const ready = () => /^ready/m.test(readFileSync(join(data, "postmaster.pid"), "utf8"));
    while (server.exitCode === null && !ready()) await sleep(20);
  };
  await start();
  const url = `postgres://ackgate@127.0.0.1:${port}/postgres`;
  return { url, start, stop: () => ended(server, "SIGINT") };
}

/** A PostgreSQL that a test may stop and start again; undefined where none is installed. */
export async function ownPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "ackgate-postgres-"));
  chmodSync(folder, 0o755);
  const service = await startPostgres(mkdtempSync(join(folder, "service-")));
  const remove = async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  if (service !== undefined) return { ...service, remove };
  await remove();
  return undefined;
}

async function startRedis(folder, more = []) {
  const program = installed("redis-server", path());
  if (program === undefined) return undefined;
  const port = await freePort();
  const settings = ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const server = spawn(program, [...settings, ...more].map(String), { stdio: "ignore" });
  await waitFor(port, server);
  return { url: `redis://127.0.0.1:${port}`, stop: () => ended(server, "SIGTERM") };
}

/** A cluster of one, that has no slots yet. */
async function startRedisCluster(folder) {
  const cluster = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"];
  return startRedis(folder, [...cluster, "--cluster-port", await freePort()]);
}

const ended = (child, signal) =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.on("exit", resolve);
    child.kill(signal);
  });

/** ACKGATE_TEST_PG, _REDIS and _REDIS_CLUSTER are set for what is installed; the tests skip by name what is not. */
export async function withServices(work) {
  const folder = mkdtempSync(join(tmpdir(), "ackgate-services-"));
  chmodSync(folder, 0o755);
  const running = [];
  try {
    const env = {};
    for (const [name, start] of [
      ["ACKGATE_TEST_PG", startPostgres],
      ["ACKGATE_TEST_REDIS", startRedis],
      ["ACKGATE_TEST_REDIS_CLUSTER", startRedisCluster],
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
