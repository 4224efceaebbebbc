// Reports of users of similar tools, each with the end it should have had: what happened to them does not happen here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ANSWERS } from "./cases-answers.ts";
import { ARGUMENTS } from "./cases-arguments.ts";
import { ENDS } from "./cases-ends.ts";
import { play, type Step } from "./cases-steps.ts";
import { THREAD } from "./cases-thread.ts";
import { assertLaws, type Check, GENERAL, type Own, type Play } from "./cases-wants.ts";
import { type Setup, World } from "./cases-world.ts";

interface Report {
  readonly id: string;
  readonly tag: string;
  readonly input: {
    readonly config: {
      readonly tiers: Readonly<Record<string, string>>;
      readonly app?: string;
      readonly timeoutMs?: number;
      readonly storeLatencyMs?: number;
      readonly toolLatencyMs?: number;
    };
    readonly steps: readonly Step[];
  };
  readonly want: Readonly<Record<string, unknown>>;
}

/** What a gate alone can't show: they are checked with the AG-UI side and with the card. */
const ELSEWHERE = ["001", "005", "007", "008", "016", "029", "031", "035", "041", "065"].map((id) => `A2-${id}`);

/** Where the specification decides otherwise than a report wants, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "A2-025": "a run that waits goes on by itself, so only a run that is gone is resumed",
  "A2-026": "a claim whose owner died may have run: its outcome is unknown, and only an idempotent tool is run again",
  "A2-043": "exactly this call is offered where a tool's subject is known, so the host names the field that holds it",
  "A2-058": "empty text is the empty object, as tools without arguments are called: a person is asked, nothing runs",
};

const OWN: Readonly<Record<string, Own>> = { ...ANSWERS, ...ARGUMENTS, ...ENDS, ...THREAD };
const SETUPS: readonly Setup[] = [
  { by: "host", store: "memory", restart: "closed" },
  { by: "HTTP", store: "memory", restart: "killed" },
];
/** Where processes share a store or follow each other, it is a database too. */
const SHARED: readonly Setup[] = [
  { by: "host", store: "PGlite", restart: "killed" },
  { by: "HTTP", store: "PGlite", restart: "closed" },
];

const reports = readFileSync(new URL("../cases/lifecycle.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Report);
const ran = new Set<string>();

for (const report of reports) {
  const { id, tag, input } = report;
  if (ELSEWHERE.includes(id)) continue;
  test(`${id}: ${tag}`, async (t) => {
    if (OTHERWISE[id]) t.diagnostic(`here otherwise: ${OTHERWISE[id]}`);
    const plays = Object.entries(OWN[id]?.plays ?? { "as it stands": play });
    const many = OWN[id]?.plays !== undefined || input.steps.some(({ op }) => op === "restart" || op === "parallel");
    for (const [name, way] of plays) {
      for (const setup of many ? [...SETUPS, ...SHARED] : SETUPS) {
        const { by, store, restart } = setup;
        await t.test(`${name}, by ${by}, ${store}, ${restart}`, () => check(report, way, setup));
      }
    }
    ran.add(id);
  });
}

test("every report is run here or checked elsewhere", () => {
  const known = reports.map(({ id }) => id);
  assert.equal(new Set(known).size, 46);
  assert.deepEqual([...ran, ...ELSEWHERE].sort(), [...known].sort());
  for (const id of [...Object.keys(OTHERWISE), ...Object.keys(OWN)]) assert.ok(ran.has(id), `${id} is not run`);
});

async function check({ id, input, want }: Report, way: Play, setup: Setup): Promise<void> {
  const { config, steps } = input;
  const { tiers, timeoutMs, app, toolLatencyMs, storeLatencyMs } = config;
  const used = [...JSON.stringify(steps).matchAll(/"tool":"(\w+)"/g)].map(([, name]) => name as string);
  const tools = [...new Set([...Object.keys(tiers), ...used])];
  const options = { tiers, ...(timeoutMs && { timeoutMs }), ...(app && { app }), ...OWN[id]?.options };
  const held = toolLatencyMs !== undefined;
  const world = new World(setup, tools, options, {
    held,
    stopped: timeoutMs !== undefined,
    latency: storeLatencyMs ? 5 : 0,
  });
  try {
    await way(world, steps);
    await world.release();
    for (const [name, wanted] of Object.entries(want)) {
      const wanting: Check | undefined = OWN[id]?.wants?.[name] ?? GENERAL[name];
      assert.ok(wanting, `nothing checks ${name}`);
      await wanting(world, wanted as never);
    }
    assertLaws(world);
  } finally {
    await world.close();
  }
}
