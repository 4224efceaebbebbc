// Hosts whose event loop stands still for longer than a lease, and hosts whose clocks differ: never a second execution.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type AuditRecord, createGate, type Gate, memoryState, type SessionState } from "ackgate";
import { fakeRunner } from "ackgate/testing";
import type { KillOptions } from "./kill-host.js";
import { type Host, killHost, startHost } from "./kill-process.js";
import { type OpenStore, openStore } from "./kill-store.js";

const url = process.env.ACKGATE_TEST_PG;
const KEY = { app: "ack", user: "u1", session: "s1" };

describe("a host that stands still", { skip: url === undefined && "no postgres server", timeout: 120_000 }, () => {
  let folder = "";
  let options: Omit<KillOptions, "host">;
  let store: OpenStore;
  const hosts: Host[] = [];
  const start = async (host: string): Promise<Host> => {
    const started = await startHost({ ...options, host });
    hosts.push(started);
    return started;
  };
  const lines = async <T>(file: string): Promise<T[]> =>
    (await readFile(file, "utf8"))
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as T);
  const starts = async (id: string) =>
    (await lines<{ id: string; at: string }>(options.executions)).filter((row) => row.id === id && row.at === "start")
      .length;
  const record = async (id: string) =>
    JSON.parse((await store.state.read(KEY, `c:${id}`))?.record ?? "{}") as { stage?: string; execution?: string };
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const call = async ({ base }: Host, id: string, ms: number): Promise<void> => {
    await fetch(`${base}/call?${new URLSearchParams({ id, sessionId: "s1", ms: String(ms) })}`, { method: "POST" });
    await until(async () => (await record(id)).stage === "pending");
  };
  const decide = ({ base }: Host, confirmationId: string): Promise<Response> =>
    fetch(`${base}/ack/confirmation`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: "s1", confirmationId, approved: true }),
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "ackgate-freeze-"));
    const [executions = "", audit = "", journal = ""] = ["executions", "audit", "journal"].map((name) =>
      join(folder, name),
    );
    for (const file of [executions, audit, journal]) await writeFile(file, "");
    const space = `freeze_${randomInt(2 ** 31)}`;
    options = { store: "postgres", url: url ?? "", space, executions, audit, journal };
    store = await openStore("postgres", url ?? "", space);
  });
  after(async () => {
    for (const host of hosts) await killHost(host);
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("while it runs the tool: the outcome is unknown, its late finish changes nothing", async () => {
    const [frozen, other] = [await start("a"), await start("b")];
    await call(frozen, "c1", 1_500);
    const deciding = decide(frozen, "c1").catch(() => undefined);
    await until(async () => (await starts("c1")) === 1);
    frozen.child.kill("SIGSTOP");
    // The other host sweeps every second.
    await until(async () => (await record("c1")).stage === "settled");
    assert.equal((await record("c1")).execution, "unknown");
    frozen.child.kill("SIGCONT");
    await deciding;
    const late = async () =>
      (await lines<AuditRecord>(options.audit)).some(
        (each) => each.call.toolCallId === "c1" && each.execution === "late",
      );
    await until(late);
    assert.deepEqual([await starts("c1"), (await record("c1")).execution], [1, "unknown"]);
    assert.equal((await decide(other, "c1")).status, 200);
  });

  test("while it waits: another host carries the answer out, its own run ends without running the tool", async () => {
    const [frozen, other] = hosts as [Host, Host];
    await call(frozen, "c2", 100);
    frozen.child.kill("SIGSTOP");
    const decided = await decide(other, "c2");
    assert.deepEqual(await decided.json(), { path: "recovery", status: "approved" });
    frozen.child.kill("SIGCONT");
    // It answers again, so it has seen what became of its record.
    await decide(frozen, "c2");
    assert.deepEqual([await starts("c2"), (await record("c2")).execution], [1, "ran"]);
  });
});

test("clocks that differ by half a minute change nothing: leases go by the store's clock", async () => {
  const memory = memoryState();
  const state: SessionState = { ...memory, exclusive: false };
  let ran = 0;
  const gateAt = (skew: number): Gate =>
    createGate({
      state,
      user: "u1",
      tools: { delete_note: () => `ran ${++ran}` },
      defaultTier: "confirm",
      leaseMs: 1_000,
      clock: {
        now: () => Date.now() + skew,
        setTimeout(run, ms) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      },
      logger: { warn() {}, error() {} },
    }) as unknown as Gate;
  for (const skew of [30_000, -30_000]) {
    ran = 0;
    const [owner, other] = [gateAt(skew), gateAt(0)];
    other.resumeWith(fakeRunner());
    const id = `c${skew}`;
    const running = owner.execute({ sessionId: "s1", toolCallId: id, toolName: "delete_note", arguments: "{}" });
    while (!(await state.read(KEY, `c:${id}`))) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await other.sweep(), 0);
    assert.deepEqual(await other.decide({ sessionId: "s1", confirmationId: id, approved: true }), {
      path: "live",
      status: "approved",
    });
    assert.equal((await running).denied, false);
    assert.equal(ran, 1);
  }
});
