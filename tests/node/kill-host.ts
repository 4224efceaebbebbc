// One of several hosts on one store, made to be killed. `node --import tsx kill-host.ts OPTIONS` with the options as
// JSON; prints `{"port"}` when it serves. Each execution and each audit record is a row on the disk before it counts.
import { fsyncSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type CallInfo, createGate, type SessionState } from "ackgate";
import { toNode } from "ackgate/node";
import { fakeRunner } from "ackgate/testing";
import { openStore, type StoreKind } from "./kill-store.js";
import { lossy } from "./lossy-state.js";
import { seeded } from "./seeded.js";

export interface KillOptions {
  readonly store: StoreKind;
  readonly url: string;
  /** The store's own name space. */
  readonly space: string;
  /** One line for each execution and one for each end of one. */
  readonly executions: string;
  /** One line for each audit record. */
  readonly audit: string;
  /** One line for each acknowledged write that opened or settled a confirmation. */
  readonly journal: string;
  readonly host: string;
  /** Each notification is lost with probability 1/2, by random numbers from this seed. */
  readonly loses?: number | undefined;
}

const options = JSON.parse(process.argv[2] ?? "{}") as KillOptions;
// Nobody is left to kill it: end with whoever started it.
process.stdin.on("end", () => process.exit(1)).resume();

const appender = (path: string): ((line: string) => void) => {
  const file = openSync(path, "a");
  return (line) => {
    writeSync(file, `${line}\n`);
    fsyncSync(file);
  };
};
const executed = appender(options.executions);
const audited = appender(options.audit);
const wrote = appender(options.journal);

/** Not idempotent: a second run is a second row. */
async function work({ id, ms }: { id: string; ms: number }, { fence }: CallInfo): Promise<string> {
  executed(JSON.stringify({ id, at: "start", host: options.host, fence }));
  await sleep(ms);
  executed(JSON.stringify({ id, at: "end", host: options.host, fence }));
  return id;
}

const note = (id: string, what: string): void => wrote(JSON.stringify({ id: id.slice(2), host: options.host, what }));
const { state } = await openStore(options.store, options.url, options.space);
const journaled: SessionState = {
  ...state,
  async write(session, id, record, ifVersion) {
    const written = await state.write(session, id, record, ifVersion);
    if ("conflict" in written || !id.startsWith("c:")) return written;
    if (ifVersion === undefined) note(id, "opened");
    if (record?.includes('"stage":"settled"') && record.includes('"delivered":false')) note(id, "settled");
    return written;
  },
};
const random = seeded(options.loses ?? 0);
const lost = (id: string): boolean => {
  const gone = random() < 0.5;
  if (gone) note(id, "lost");
  return gone;
};
const gate = createGate({
  state: options.loses === undefined ? journaled : lossy(journaled, lost),
  tools: { work },
  defaultTier: "confirm",
  user: "u1",
  leaseMs: 1_000,
  pollMs: 500,
  resume: "each",
  logger: { warn() {}, error: console.error },
  onAudit: (record) => audited(JSON.stringify(record)),
});
gate.resumeWith(fakeRunner());
const handler = gate.handler({ identify: () => ({ user: "u1" }) });

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname !== "/call") return toNode(handler)(request, response);
  const { sessionId = "", id = "", ms = "0" } = Object.fromEntries(url.searchParams);
  const init = { sessionId, toolCallId: id, toolName: "work", arguments: { id, ms: Number(ms) } };
  // The run that waits; it ends with its process or with the answer.
  gate.execute(init, { runId: id }).catch(() => undefined);
  response.writeHead(202).end();
});
const sweep = (): void => {
  gate
    .sweep()
    .catch((error: unknown) => console.error(error))
    .finally(() => setTimeout(sweep, 1_000));
};
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  sweep();
});
