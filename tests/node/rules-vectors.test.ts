// The golden tables of the rule chain, through the packed package.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import {
  type CheckOptions,
  createPolicy,
  createSessionAllows,
  type PolicyDocument,
  type PolicyOptions,
  parsePolicy,
} from "ackgate";

interface Question {
  toolName: string;
  input: Record<string, unknown> | string;
  server?: string;
  mode?: "yolo";
  declared?: CheckOptions["capability"];
  sessionAllows?: { tool: string; content: string }[];
  realPath?: boolean;
  real?: Record<string, string | null>;
  preapprove?: boolean;
  preapproved?: string;
  want?: "explanation";
}
interface Case {
  name: string;
  policy: PolicyDocument | string;
  environment?: { cwd?: string; home?: string; platform?: "posix" | "windows" };
  question: Question;
  expect: { type: string; decision?: object; explanation?: object; paths?: string[] };
}

const folder = new URL("../vectors/", import.meta.url);
let driven = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const { kind, cases } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as { kind: string; cases: Case[] };
  if (kind !== "rules") continue;
  test(`${file}: ${cases.length} rule vectors through the package`, () => {
    for (const each of cases) drive(each);
    driven += cases.length;
  });
}

test("there are rule vectors", () => assert.ok(driven > 200, `${driven}`));

function drive({ name, policy, environment, question, expect }: Case): void {
  const asked: string[] = [];
  const options: PolicyOptions = {
    name: "policy.json",
    ...environment,
    ...(question.realPath && {
      realPath: (path: string) => {
        asked.push(path);
        return question.real?.[path] as string;
      },
    }),
    ...(question.preapprove && {
      preapprove: () => {
        asked.push("preapprove");
        return question.preapproved;
      },
    }),
  };
  const rules = typeof policy === "string" ? parsePolicy(policy, options) : createPolicy(policy, options);
  const sessionAllows = createSessionAllows();
  for (const { tool, content } of question.sessionAllows ?? []) sessionAllows.allowForSession(tool, content);
  const { toolName, input, server, mode, declared: capability, want } = question;
  const check: CheckOptions = { sessionAllows, server, mode, capability };
  if (want === "explanation") {
    const { evaluation, ...explanation } = rules.explain(toolName, input, check);
    assert.equal(evaluation, undefined);
    assert.deepEqual(explanation, expect.explanation, name);
    return;
  }
  const got = rules.check(toolName, input, check);
  // What the core would ask the host first: the hooks were asked exactly that.
  if (expect.type === "realPath") assert.deepEqual(asked, expect.paths, name);
  if (expect.type === "preapprove") assert.deepEqual(asked, ["preapprove"], name);
  for (const [field, value] of Object.entries(expect.decision ?? {})) {
    assert.equal((got as unknown as Record<string, unknown>)[field], value, `${name}: ${field}`);
  }
}
