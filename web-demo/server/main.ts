import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { agentHandler } from "ackgate/agui";
import { toNode } from "ackgate/node";
import { postgresState } from "ackgate/postgres";
import { type Address, parseAddress, urlOf } from "./address.ts";
import { NotesAgent } from "./agent.ts";
import { notesApi } from "./api.ts";
import { claimFolder, makeFolder } from "./folder.ts";
import { notesGate } from "./gate.ts";
import { createIdentity } from "./identity.ts";
import { Notes } from "./notes.ts";
import { site } from "./site.ts";

export interface Folders {
  /** The built page. */
  readonly page: string;
  /** Notes, threads, open confirmations. */
  readonly data: string;
}

export async function serve({ page, data }: Folders, wanted: string): Promise<void> {
  let ready: (listener: RequestListener) => void = () => {};
  const whenReady = new Promise<RequestListener>((resolve) => {
    ready = resolve;
  });
  const server = createServer(async (request, response) => (await whenReady)(request, response));
  const url = urlOf(await listen(server, parseAddress(wanted)));

  if (makeFolder(data)) console.log("preparing the data folder, once");
  const identity = createIdentity(data);
  await claimFolder(data, url, identity.cookie);
  const db = await PGlite.create(join(data, "db"));
  const notes = await Notes.open(db);
  const state = postgresState(db);
  const gate = notesGate(state, notes);
  const { identify } = identity;
  const agent = toNode(agentHandler(new NotesAgent(gate), gate, { mode: "block", identify }));
  const api = toNode(notesApi(notes, identify));
  const files = site(page, identity.setCookie);
  ready((request, response) => agent(request, response, () => api(request, response, () => files(request, response))));

  const stop = async () => {
    // Open questions stay open: they are answered after the next start.
    await gate.close();
    await closed(server);
    await state[Symbol.asyncDispose]();
    await db.close();
    process.exit();
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  console.log(`notes assistant: ${url}`);
}

async function listen(server: Server, { host, port }: Address): Promise<Address> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`${host}:${port} is in use: set NOTES_ADDR=host:port to use another address`);
  }
  return { host, port: (server.address() as AddressInfo).port };
}

/** Lets open answers end, which is soon: the gate has stopped waiting. */
async function closed(server: Server): Promise<void> {
  const end = once(server, "close");
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), 500);
  await end;
  clearTimeout(cut);
}
