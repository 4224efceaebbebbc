// The golden tables that a host can drive, through the packed package: scripted sources, tier function and grants.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createGate, createPolicy, type Grant, memoryState, type PolicyDocument, type PolicySource } from "ackgate";
import { fakeClock } from "ackgate/testing";

interface Answer {
  type: "validated" | "tier" | "realPaths" | "preapproved" | "verdict" | "grants" | "consumed" | "failed";
  detail?: string;
  tier?: string;
  verdict?: string;
  reason?: string;
  grants?: Grant[];
  taken?: boolean;
  id?: string;
  paths?: (string | null)[];
}
interface Case {
  name: string;
  policy?: PolicyDocument;
  setup: {
    tiers?: Record<string, "allow" | "confirm" | "deny">;
    defaultTier: "allow" | "confirm" | "deny";
    validate?: boolean;
    tierFunction?: boolean;
    sources?: string[];
    grants?: { app: string; userId: string; global: boolean; consume: boolean; nowMs: number };
    unknownTool?: boolean;
    interactive?: boolean;
    argumentsBytes?: number;
    mode?: "yolo" | "default" | "read_only";
    declared?: { readOnly?: boolean; alwaysAsk?: boolean; requiresUserInteraction?: boolean };
    preapprove?: boolean;
    realPath?: boolean;
  };
  call: { sessionId: string; toolCallId: string; toolName: string; server?: string; arguments: string };
  answers: Answer[];
  trace: { asked: string; said: string }[];
  expect: {
    disposition: string;
    basis?: string;
    source?: string;
    forced?: boolean;
    reason?: string;
    suggestions?: unknown;
  };
}

const folder = new URL("../vectors/", import.meta.url);
const quiet = { warn() {}, error() {} };

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const table = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as { kind: string; cases: Case[] };
  // An unknown tool is `execute`'s affair: judging alone takes any name.
  const cases = table.kind === "evaluate" ? table.cases.filter((each) => !each.setup.unknownTool) : [];
  if (cases.length === 0) continue;
  test(`${file}: ${cases.length} vectors through the package`, async () => {
    for (const each of cases) await drive(each);
  });
}

async function drive({ name, policy, setup, call, answers, trace, expect }: Case): Promise<void> {
  const asked: { asked: string; said: string }[] = [];
  const script = [...answers];
  const next = (who: string): Answer => {
    const answer = script.shift();
    assert.ok(answer, `${name}: ${who} was asked and has no answer`);
    return answer;
  };
  const failing = (answer: Answer): void => {
    if (answer.type === "failed") throw new Error("scripted");
  };
  const { grants, declared } = setup;
  const answered = (who: string, said: string): Answer => {
    const answer = next(who);
    asked.push({ asked: who, said });
    failing(answer);
    return answer;
  };
  const rules = createPolicy(policy ?? { version: 1 }, {
    ...(setup.preapprove && { preapprove: () => answered("preapprove", "").id }),
    ...(setup.realPath && { realPath: () => answered("paths", "").paths?.[0] as string }),
  });
  const hosted = policy !== undefined || setup.preapprove || setup.realPath;
  const validate = () => {
    const { detail = "" } = answered("schema", "");
    // A Standard Schema's complaint without a place reads as its message.
    return detail === "" ? { value: {} } : { issues: [{ message: detail }] };
  };
  const input = { "~standard": { version: 1, vendor: "script", validate } } as const;
  const gate = createGate({
    state: memoryState(),
    logger: quiet,
    defaultTier: setup.defaultTier,
    ...(hosted && { policy: rules }),
    ...(setup.mode && { mode: setup.mode }),
    ...(declared && { tools: { [call.toolName]: { ...declared, run: () => undefined } } }),
    ...(setup.validate && { tools: { [call.toolName]: { input, run: () => undefined } } }),
    ...(setup.tiers && { tiers: setup.tiers }),
    ...(setup.interactive !== undefined && { interactive: setup.interactive }),
    ...(setup.tierFunction && {
      tier: () => {
        const answer = next("the tier function");
        asked.push({ asked: "tier", said: answer.type === "failed" ? "failed" : (answer.tier ?? "none") });
        failing(answer);
        return answer.tier as "allow" | undefined;
      },
    }),
    ...(setup.sources && {
      sources: setup.sources.map(
        (source, index): PolicySource => ({
          name: source,
          async consult() {
            const who = source === "" ? `source #${index}` : `source ${source}`;
            const answer = next(who);
            asked.push({ asked: who, said: answer.verdict ?? "failed" });
            failing(answer);
            return { verdict: answer.verdict as "allow", reason: answer.reason };
          },
        }),
      ),
    }),
    ...(grants && {
      app: grants.app,
      ...(grants.global && { user: grants.userId }),
      clock: fakeClock(grants.nowMs),
      grants: {
        lookup: () => {
          const answer = next("the grants");
          asked.push({ asked: "grants", said: answer.type });
          failing(answer);
          return answer.grants?.map((grant) => ({ ...grant, userId: grants.global ? grant.userId : "user" }));
        },
        save() {},
        ...(grants.consume && {
          consume: async (grant: Grant) => {
            const answer = next(`a use of ${grant.id}`);
            asked.push({ asked: `use of ${grant.id}`, said: answer.taken === true ? "taken" : "missed" });
            failing(answer);
            return answer.taken === true;
          },
        }),
      },
    }),
    ...(setup.argumentsBytes !== undefined && { limits: { argumentsBytes: setup.argumentsBytes } }),
  });
  // Looking takes no use, so a vector with one is driven by the rung that acts.
  const acts = trace.some((entry) => entry.asked.startsWith("use of "));
  const seen = acts ? await gate.request(call) : await gate.evaluate(call);
  await gate.close();
  const got: Record<string, unknown> = "request" in seen ? { ...seen.request, ...seen } : { ...seen };
  for (const field of ["disposition", "basis", "source", "forced", "suggestions"] as const) {
    if (expect[field] !== undefined) assert.deepEqual(got[field], expect[field], `${name}: ${field}`);
  }
  if (expect.disposition === "confirm" && expect.reason !== undefined) assert.equal(got.reason, expect.reason, name);
  assert.equal(script.length, 0, `${name}: an answer was not asked for`);
  // What the rules themselves said is no question to the host; a session's grants are looked up like any.
  const want = trace
    .filter((entry) => !["arguments", "rules"].includes(entry.asked))
    .map(({ asked, said }) => ({ asked: asked === "session grants" ? "grants" : asked, said }));
  // A grant's paths are resolved between the look-up and what the trace says of it.
  const order = (entries: readonly { asked: string }[]): string[] => {
    const names = entries.map((entry) => entry.asked);
    return [...names.filter((who) => who === "paths"), ...names.filter((who) => who !== "paths")];
  };
  assert.deepEqual(order(asked), order(want), `${name}: who was asked`);
}
