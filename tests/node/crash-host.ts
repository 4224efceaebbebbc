// A host that can be killed: one process, its database in a folder, each execution on the disk before it counts.
// `node --import tsx crash-host.ts OPTIONS` with the options as JSON; prints `{"port"}` when it serves.
import { existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { createGate, type Gate, type SessionState } from "ackgate";
import { agentHandler } from "ackgate/agui";
import { toNode } from "ackgate/node";
import { postgresState } from "ackgate/postgres";
import { ScriptedAgent } from "./notes-host.js";

export interface CrashOptions {
  /** The database. */
  readonly data: string;
  /** One line for each execution of a tool. */
  readonly log: string;
  /** `absent`: there is no `delete_note`; `throws`: it fails; `waits`: it goes on when the file `gate` exists. */
  readonly tool?: "absent" | "throws" | "waits";
  readonly gate?: string;
  /** Ends like kill -9 at a write of a record of this kind whose text holds all of `holding`. */
  readonly dies?: {
    readonly when: "before" | "after";
    readonly kind: "c:" | "r:";
    readonly holding: readonly string[];
  };
}

const options = JSON.parse(process.argv[2] ?? "{}") as CrashOptions;
// Nobody is left to kill it: end with whoever started it.
process.stdin.on("end", () => process.exit(1)).resume();

const log = openSync(options.log, "a");
const note = (line: string): void => {
  writeSync(log, `${line}\n`);
  fsyncSync(log);
};

async function deleteNote({ id }: { id: string }): Promise<object> {
  note(`delete ${id}`);
  if (options.tool === "throws") throw new Error("the disk is full");
  while (options.tool === "waits" && !existsSync(options.gate ?? "")) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { deleted: id };
}

function deadly(state: SessionState): SessionState {
  const { dies } = options;
  if (dies === undefined) return state;
  const matches = (id: string, record: string | null): boolean =>
    id.startsWith(dies.kind) && record !== null && dies.holding.every((part) => record.includes(part));
  return {
    ...state,
    async write(session, id, record, ifVersion) {
      if (dies.when === "before" && matches(id, record)) await die();
      const outcome = await state.write(session, id, record, ifVersion);
      if (dies.when === "after" && "version" in outcome && matches(id, record)) await die();
      return outcome;
    },
  };
}

/** Never returns. */
async function die(): Promise<void> {
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
}

const readNote = ({ id }: { id: string }): string => {
  note(`read ${id}`);
  return `the note ${id}`;
};
const quiet = { warn: console.error, error: console.error };
const gate = createGate({
  state: deadly(postgresState(new PGlite(options.data))),
  tools: options.tool === "absent" ? { read_note: readNote } : { read_note: readNote, delete_note: deleteNote },
  tier: ({ toolName }) => (toolName === "read_note" ? "allow" : "confirm"),
  user: "u1",
  // Longer than any test: whoever waits for a dead process's lease does not end.
  leaseMs: 600_000,
  logger: quiet,
}) as unknown as Gate;
const script = [
  ["delete_note", { id: "n2" }],
  ["read_note", { id: "n1" }],
] as const;
const handler = agentHandler(new ScriptedAgent(gate, script), gate, {
  mode: "block",
  identify: () => ({ user: "u1" }),
});
const server = createServer(toNode(handler)).listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
