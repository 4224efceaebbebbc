// A few hosts on one store, somebody who kills them, and a crowd that calls tools and answers the questions.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditRecord, SessionKey, SessionState } from "ackgate";
import type { KillOptions } from "./kill-host.js";
import { type Host, killHost, startHost } from "./kill-process.js";
import { openStore, type StoreKind } from "./kill-store.js";
import { seeded } from "./seeded.js";

const HOSTS = 3;
const SESSIONS = 8;
const CROWD = 6;
const BETWEEN_KILLS_MS = 2_000;

/** One question and what its person got as answers. */
export interface Asked {
  readonly id: string;
  readonly sessionId: string;
  readonly approved: boolean;
  readonly answers: { readonly path: string; readonly status: string }[];
}
export interface Row {
  readonly id: string;
  readonly at: "start" | "end";
  readonly host: string;
  readonly fence: number;
}
/** A write of a host that was acknowledged: it opened a confirmation, or settled it; or a notification it never got. */
export interface Journal {
  readonly id: string;
  readonly host: string;
  readonly what: "opened" | "settled" | "lost";
}
interface Stored {
  readonly confirmationId: string;
  readonly stage: string;
  readonly status: string;
  readonly execution: string;
}
/** What there is to say about it all at the end. */
export interface Figures {
  readonly asked: readonly Asked[];
  readonly rows: readonly Row[];
  readonly audit: readonly AuditRecord[];
  readonly journal: readonly Journal[];
  readonly records: ReadonlyMap<string, Stored>;
  readonly kills: { readonly all: number; readonly open: number; readonly executing: number };
  /** The names of the hosts that lived to the end. */
  readonly survivors: ReadonlySet<string>;
}

export class KillWorld {
  readonly #options: Omit<KillOptions, "host">;
  readonly #folder: string;
  readonly #random: () => number;
  readonly #state: SessionState;
  readonly #close: () => Promise<void>;
  readonly #hosts: Host[] = [];
  readonly #asked: Asked[] = [];
  readonly #kills = { all: 0, open: 0, executing: 0 };
  #started = 0;

  private constructor(
    options: Omit<KillOptions, "host">,
    folder: string,
    random: () => number,
    store: Awaited<ReturnType<typeof openStore>>,
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#random = random;
    this.#state = store.state;
    this.#close = store.close;
  }

  static async make(store: StoreKind, url: string, seed: number): Promise<KillWorld> {
    const folder = await mkdtemp(join(tmpdir(), "ackgate-kill-"));
    const space = `kill_${seed}`;
    const files = ["executions", "audit", "journal"].map((name) => join(folder, name));
    for (const file of files) await writeFile(file, "");
    const [executions = "", audit = "", journal = ""] = files;
    const loses = store === "postgres" ? seed : undefined;
    const options = { store, url, space, executions, audit, journal, loses };
    const world = new KillWorld(options, folder, seeded(seed), await openStore(store, url, space));
    for (let index = 0; index < HOSTS; index += 1) world.#hosts[index] = await world.#start();
    return world;
  }

  /**
   * Asks `count` questions under fire, and more until ten kills have hit open ones and ten were recovered; waits until
   * nothing is open any more.
   */
  async run(count: number): Promise<Figures> {
    const done = new AbortController();
    const killing = this.#kill(done.signal);
    let next = 0;
    const person = async (): Promise<void> => {
      while (next < count || (!this.#enough() && next < 4 * count)) await this.#question(next++);
    };
    try {
      await Promise.all(Array.from({ length: CROWD }, person));
    } finally {
      done.abort();
      await killing;
    }
    const records = await this.#closed();
    return {
      asked: this.#asked,
      rows: await this.#rows(),
      audit: await this.#read<AuditRecord>(this.#options.audit),
      journal: await this.#read<Journal>(this.#options.journal),
      records,
      kills: this.#kills,
      survivors: new Set(this.#hosts.map(({ name }) => name)),
    };
  }

  async end(): Promise<void> {
    for (const host of this.#hosts) await killHost(host);
    await this.#close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #enough(): boolean {
    const recovered = this.#asked.filter(({ answers }) => answers.some(({ path }) => path === "recovery"));
    return this.#kills.open >= 10 && this.#kills.executing >= 1 && recovered.length >= 10;
  }

  /** One call, one person: the decision is sent twice, to any hosts, until each was answered. */
  async #question(index: number): Promise<void> {
    const asked = { id: `c${index}`, sessionId: `s${index % SESSIONS}`, approved: this.#random() < 0.8, answers: [] };
    this.#asked.push(asked);
    await this.#shown(asked);
    await sleep(this.#between(500, 2_500));
    await Promise.all([this.#decide(asked), this.#decide(asked)]);
  }

  /** Calls the tool until its card is there; the process that was called may be gone before it has asked. */
  async #shown({ id, sessionId }: Asked): Promise<void> {
    const query = new URLSearchParams({ id, sessionId, ms: String(this.#between(100, 300)) });
    for (;;) {
      const host = this.#any();
      const called = await fetch(`${host.base}/call?${query}`, { method: "POST" }).catch(() => undefined);
      for (let tried = 0; called && tried < 100 && this.#hosts.includes(host); tried += 1) {
        if (await this.#state.read(keyOf(sessionId), `c:${id}`)) return;
        await sleep(20);
      }
    }
  }

  async #decide({ id, sessionId, approved, answers }: Asked): Promise<void> {
    for (;;) {
      const response = await fetch(`${this.#any().base}/ack/confirmation`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ threadId: sessionId, confirmationId: id, approved }),
      }).catch(() => undefined);
      const body = await response?.json().catch(() => undefined);
      if (response?.status === 200 && body) {
        answers.push(body as Asked["answers"][number]);
        return;
      }
      await sleep(50);
    }
  }

  /** Kills a host at a random moment, every fourth time one that has just begun to run a tool, and starts another. */
  async #kill(stop: AbortSignal): Promise<void> {
    for (;;) {
      const pause = this.#random() * 2 * BETWEEN_KILLS_MS;
      const random = Math.floor(this.#random() * HOSTS);
      await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
      const index = this.#kills.all % 4 === 3 ? await this.#running(stop) : random;
      const victim = this.#hosts[index];
      if (stop.aborted || !victim) return;
      await killHost(victim);
      this.#kills.all += 1;
      const records = await this.#records();
      const opened = (await this.#read<Journal>(this.#options.journal)).filter(({ what }) => what === "opened");
      const left = opened.filter(({ id, host }) => host === victim.name && records.get(id)?.stage !== "settled");
      if (left.length > 0) this.#kills.open += 1;
      if (unfinished(await this.#rows()).some(({ host }) => host === victim.name)) this.#kills.executing += 1;
      this.#hosts[index] = await this.#start();
    }
  }

  /** The host that runs a tool now. */
  async #running(stop: AbortSignal): Promise<number> {
    for (;;) {
      const running = new Set(unfinished(await this.#rows()).map(({ host }) => host));
      const index = this.#hosts.findIndex(({ name }) => running.has(name));
      if (index >= 0 || stop.aborted) return index;
      await sleep(5);
    }
  }

  /** The records once none is open: what dead hosts left is carried on with by the others. */
  async #closed(): Promise<ReadonlyMap<string, Stored>> {
    for (;;) {
      const records = await this.#records();
      if (records.size === this.#asked.length && [...records.values()].every(({ stage }) => stage === "settled"))
        return records;
      await sleep(50);
    }
  }

  async #records(): Promise<ReadonlyMap<string, Stored>> {
    const records = new Map<string, Stored>();
    for (let session = 0; session < SESSIONS; session += 1) {
      for (const { record } of await this.#state.list(keyOf(`s${session}`), "confirmation")) {
        const stored = JSON.parse(record) as Stored;
        records.set(stored.confirmationId, stored);
      }
    }
    return records;
  }

  #rows(): Promise<Row[]> {
    return this.#read<Row>(this.#options.executions);
  }

  /** A last line without its end was being written when its host died. */
  async #read<T>(file: string): Promise<T[]> {
    const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as T);
  }

  #start(): Promise<Host> {
    const { loses } = this.#options;
    const host = ++this.#started;
    return startHost({ ...this.#options, host: `host-${host}`, loses: loses && loses + host });
  }

  #any(): Host {
    return this.#hosts[Math.floor(this.#random() * HOSTS)] as Host;
  }

  #between(least: number, most: number): number {
    return Math.floor(least + this.#random() * (most - least));
  }
}

function keyOf(session: string): SessionKey {
  return { app: "ack", user: "u1", session };
}

/** Runs of the tool that have not ended, or never will. */
function unfinished(rows: readonly Row[]): Row[] {
  const over = new Set(rows.filter(({ at }) => at === "end").map(({ id, fence }) => `${id} ${fence}`));
  return rows.filter(({ id, at, fence }) => at === "start" && !over.has(`${id} ${fence}`));
}
