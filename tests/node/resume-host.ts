// One of two hosts that resume the same results. `node --import tsx resume-host.ts OPTIONS` with the options as JSON;
// prints `{"port"}` when it serves. Each execution and each started run is a row on the disk before it counts.
import { existsSync, fsyncSync, openSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createGate, type SessionState } from "ackgate";
import { toNode } from "ackgate/node";
import { openStore } from "./kill-store.js";
import { until } from "./store-steps.js";

export interface ResumeOptions {
  readonly host: string;
  readonly url: string;
  readonly space: string;
  /** One line for each execution and each started run. */
  readonly log: string;
  /** `fails`: the run does not start; `dies`: the process does, before its first write of a resumption. */
  readonly runner: "starts" | "fails" | "dies";
  /** Files of the hosts that must all be at their first write of a resumption before any of them writes. */
  readonly meet?: { readonly own: string; readonly all: readonly string[] } | undefined;
}

const options = JSON.parse(process.argv[2] ?? "{}") as ResumeOptions;
// Nobody is left to kill it: end with whoever started it.
process.stdin.on("end", () => process.exit(1)).resume();

const log = openSync(options.log, "a");
const note = (row: object): void => {
  writeSync(log, `${JSON.stringify({ ...row, host: options.host })}\n`);
  fsyncSync(log);
};
const { state } = await openStore("postgres", options.url, options.space);
const meeting: SessionState = {
  ...state,
  async write(session, id, record, ifVersion) {
    if (id.startsWith("r:")) {
      if (options.runner === "dies") process.kill(process.pid, "SIGKILL");
      const { own, all = [] } = options.meet ?? {};
      if (own !== undefined) writeFileSync(own, "");
      await until(() => all.every((file) => existsSync(file)));
    }
    return state.write(session, id, record, ifVersion);
  },
};
const gate = createGate({
  state: meeting,
  tools: { delete_note: () => note({ what: "ran" }) },
  defaultTier: "confirm",
  user: "u1",
  // Longer than any test: nothing here waits for a lease to lapse.
  leaseMs: 600_000,
  logger: { warn() {}, error() {} },
});
gate.resumeWith({
  async *run({ threadId, runId, messages }) {
    if (options.runner === "fails") throw new Error("no model");
    note({ what: "resumed", runId, results: messages.length });
    yield { type: "RUN_STARTED", threadId, runId };
  },
});
const handler = toNode(gate.handler({ identify: () => ({ user: "u1" }) }));
const server = createServer(handler).listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
