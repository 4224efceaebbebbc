// One scenario's world: its folder, the processes it starts, and what its person and its client ask over HTTP.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Message } from "@ag-ui/client";
import { PGlite } from "@electric-sql/pglite";
import { postgresState } from "ackgate/postgres";
import type { CrashOptions } from "./crash-host.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));

export interface Item {
  readonly confirmationId: string;
  readonly live: boolean;
  readonly status: string;
}
export interface Answer {
  readonly status: number;
  readonly body: {
    readonly path?: string;
    readonly status?: string;
    readonly replayed?: true;
    readonly error?: object;
  };
}

/** Making a database takes longer than everything else here, so it is made once and copied. */
export async function makeTemplate(): Promise<{ data: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "ackgate-template-"));
  const data = join(folder, "data");
  const client = new PGlite(data);
  await postgresState(client).list({ app: "ack", user: "u1", session: "none" }, "confirmation");
  await client.close();
  return { data, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A running host, asked as a browser asks it. */
export class CrashHost {
  readonly base: string;
  readonly threadId: string;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, port: number, threadId: string) {
    this.#child = child;
    this.base = `http://127.0.0.1:${port}`;
    this.threadId = threadId;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.died();
  }

  async died(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    assert.equal(this.#child.signalCode, "SIGKILL");
  }

  /** Starts a run as a client does. Resolves with the card it waits for, or nothing when it ends without one. */
  async run(messages: Message[] = []): Promise<string | undefined> {
    const said = { id: randomUUID(), role: "user", content: "clean up" };
    const response = await this.#post("/agui", {
      threadId: this.threadId,
      runId: randomUUID(),
      messages: [...messages, said],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    });
    assert.ok(response.body);
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const card = eventsOf(text).find(({ type }) => type === "CUSTOM");
      if (card) return card.value?.confirmationId;
    }
    return undefined;
  }

  async pending(): Promise<Item[]> {
    const response = await fetch(`${this.base}/ack/confirmations?threadId=${this.threadId}`);
    assert.equal(response.status, 200);
    return (await response.json()) as Item[];
  }

  async decide(approved: boolean, confirmationId = "call-0"): Promise<Answer> {
    const response = await this.#post("/ack/confirmation", { threadId: this.threadId, confirmationId, approved });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }

  async history(): Promise<{ messages: Message[]; running: boolean }> {
    const response = await this.#post("/agui/history", { threadId: this.threadId, runId: randomUUID() });
    const events = eventsOf(await response.text());
    const messages = events.find((event) => event.messages !== undefined)?.messages;
    assert.ok(messages, "the history has no snapshot");
    return { messages, running: events.at(-1)?.result?.running ?? false };
  }

  /** What a reader of the thread sees once the run has ended: who said what, tool results parsed; no card is shown as open. */
  async ended(): Promise<unknown[]> {
    for (;;) {
      const { messages, running } = await this.history();
      if (!running && messages.at(-1)?.content === "Done.") {
        const cards = messages.filter(({ role }) => role === "activity");
        assert.ok(!JSON.stringify(cards).includes('"pending"'), "a settled card is shown as open");
        return messages.filter((message) => !cards.includes(message)).map(gist);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #post(path: string, body: object): Promise<Response> {
    return fetch(this.base + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
}

interface Event {
  readonly type: string;
  readonly messages?: Message[];
  readonly result?: { readonly running: boolean };
  readonly value?: { readonly confirmationId: string };
}

/** The events whose frames are complete. */
function eventsOf(text: string): Event[] {
  const frames = text.split("\n\n").slice(0, -1);
  return frames.filter((frame) => frame.startsWith("data:")).map((frame) => JSON.parse(frame.slice(5)) as Event);
}

function gist(message: Message): unknown {
  if (message.role === "tool") return { result: JSON.parse(String(message.content)) as unknown };
  if (message.role === "assistant" && message.toolCalls) return { calls: message.toolCalls.map(({ id }) => id) };
  return `${message.role}: ${String(message.content)}`;
}

export class World {
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];
  readonly threadId = randomUUID();
  readonly log: string;
  readonly gate: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.log = join(folder, "executions.log");
    this.gate = join(folder, "gate");
  }

  static async make(template: string): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), "ackgate-crash-"));
    await cp(template, join(folder, "data"), { recursive: true });
    const world = new World(folder);
    await writeFile(world.log, "");
    return world;
  }

  async start(options: Omit<CrashOptions, "data" | "log" | "gate"> = {}): Promise<CrashHost> {
    const all: CrashOptions = { data: join(this.#folder, "data"), log: this.log, gate: this.gate, ...options };
    const args = ["--import", "tsx", "crash-host.ts", JSON.stringify(all)];
    const child = spawn(process.execPath, args, { cwd: HERE, stdio: ["pipe", "pipe", "pipe"] });
    this.#children.push(child);
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints += text;
    });
    for await (const line of createInterface(child.stdout)) {
      return new CrashHost(child, (JSON.parse(line) as { port: number }).port, this.threadId);
    }
    throw new Error(`the host did not start: ${complaints}`);
  }

  /** What the tools did, over all processes. */
  async executions(): Promise<string[]> {
    return (await readFile(this.log, "utf8")).split("\n").filter((line) => line !== "");
  }

  async end(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
