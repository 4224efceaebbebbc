// Two processes that want to resume the same results at the same moment: one run starts.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Host, killHost, startHost } from "./kill-process.js";
import { openStore } from "./kill-store.js";
import type { ResumeOptions } from "./resume-host.js";
import { orphaned } from "./windows-hosts.js";

const url = process.env.ACKGATE_TEST_PG;
const OPTIONS = { timeout: 120_000, skip: url === undefined && "no postgres server" };

async function decide({ base }: Host): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${base}/ack/confirmation`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ threadId: "s1", confirmationId: "c1", approved: true }),
  });
  return { status: response.status, body: await response.json() };
}

for (const [left, name] of [
  ["dies", "nobody has claimed"],
  ["fails", "was claimed by a process whose run did not start"],
] as const) {
  test(`two processes resume a result that ${name}: one run starts, the loser does not start`, OPTIONS, async () => {
    const folder = await mkdtemp(join(tmpdir(), "ackgate-resume-"));
    const space = `resume_${randomInt(2 ** 31)}`;
    const log = join(folder, "log");
    await writeFile(log, "");
    const rows = async (): Promise<Record<string, unknown>[]> =>
      (await readFile(log, "utf8"))
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const hosts: Host[] = [];
    const start = async (options: Pick<ResumeOptions, "host" | "runner" | "meet">): Promise<Host> => {
      const host = await startHost<ResumeOptions>({ url: url ?? "", space, log, ...options }, "resume-host.ts");
      hosts.push(host);
      return host;
    };
    const store = await openStore("postgres", url ?? "", space);
    try {
      await orphaned(store.state, "c1");
      const first = await start({ host: "first", runner: left });
      if (left === "dies") await assert.rejects(decide(first));
      else assert.equal((await decide(first)).status, 409);
      await killHost(first);
      const [a, b] = [join(folder, "a"), join(folder, "b")];
      const both = await Promise.all([
        start({ host: "a", runner: "starts", meet: { own: a, all: [a, b] } }),
        start({ host: "b", runner: "starts", meet: { own: b, all: [a, b] } }),
      ]);
      const replayed = { status: 200, body: { path: "recovery", status: "approved", replayed: true } };
      assert.deepEqual(await Promise.all(both.map(decide)), [replayed, replayed]);
      const [ran, resumed, ...more] = await rows();
      assert.deepEqual(ran, { what: "ran", host: "first" });
      assert.deepEqual([resumed?.what, resumed?.results, more], ["resumed", 1, []]);
      for (const host of both) assert.deepEqual(await decide(host), replayed);
      assert.equal((await rows()).length, 2);
    } finally {
      for (const host of hosts) await killHost(host);
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
