// Policies alone: loading, judging, hooks, sessions, layers, tests of a policy.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AckError,
  createPolicy,
  createSessionAllows,
  type Diagnostic,
  lintPolicy,
  mergePolicies,
  PolicyError,
  parsePolicy,
  replayPolicy,
  testPolicy,
} from "ackgate";

const call = (toolName: string, args: object) => ({
  sessionId: "s",
  toolCallId: "c",
  toolName,
  arguments: JSON.stringify(args),
});

const MISTYPED: Record<string, [text: string, at: [line: number, column: number], hint: string]> = {
  mode: ['{"version": 1,\n  "mode": "yoloo"}', [2, 11], "yolo"],
  tier: ['{"version": 1,\n  "tiers": {"read": "alow"}}', [2, 21], "allow"],
  key: ['{"version": 1,\n  "dney": []}', [2, 3], "deny"],
  "key twice": ['{"version": 1,\n  "deny": [],\n  "deny": []}', [3, 3], ""],
  content: ['{"version": 1,\n  "deny": ["bash(rm"]}', [2, 12], ""],
  "empty prefix": ['{"version": 1,\n  "allow": ["bash(:*)"]}', [2, 13], ""],
  tool: ['{"version": 1,\n  "deny": ["bsh(rm:*)"]}', [2, 12], "bash"],
};
for (const [name, [text, [line, column], hint]] of Object.entries(MISTYPED)) {
  test(`a mistyped ${name} is an error with file, line, column and a hint`, () => {
    assert.throws(
      () => parsePolicy(text, { name: "policy.json", tools: ["bash", "read"] }),
      (error) => {
        assert.ok(error instanceof PolicyError && AckError.is(error) && error.code === "bad_policy");
        const [found] = error.diagnostics.filter(({ severity }: Diagnostic) => severity === "error");
        assert.equal(found?.line, line, error.message);
        assert.ok((found?.column ?? 0) >= column, error.message);
        assert.match(error.message, new RegExp(`policy\\.json:${line}:`));
        assert.ok((found?.hint ?? "").includes(hint), `${found?.hint}`);
        return true;
      },
    );
  });
}

test("a literal has no lines, an unknown option of a check throws with the nearest name", () => {
  const policy = createPolicy({ version: 1, deny: ["bash(rm:*)"] });
  assert.equal(policy.explain("bash", "rm x").stages.find(({ matched, rule }) => matched && rule)?.line, undefined);
  const bad = { mod: "yolo" } as object;
  assert.throws(() => policy.check("bash", "ls", bad), { code: "bad_options", message: /`mod`.*`mode`/ });
  const word = { mode: "yoloo" } as object;
  assert.throws(() => policy.check("bash", "ls", word), { code: "bad_options", message: /yolo/ });
});

test("what loaded is visible: counts and a digest that follows what it says", () => {
  const one = parsePolicy('{"version":1,"deny":["a"],"allow":["b","c"],"tiers":{"d":"deny"}}');
  assert.deepEqual(one.counts, { deny: 1, ask: 0, allow: 2, tiers: 1 });
  assert.match(one.digest, /^[0-9a-f]{64}$/);
  assert.equal(
    one.digest,
    parsePolicy('{ "version": 1, "tiers": {"d": "deny"}, "allow": ["b", "c"], "deny": ["a"] }').digest,
  );
  assert.notEqual(one.digest, parsePolicy('{"version":1,"deny":["a2"]}').digest);
});

test("arguments that are none throw and name what is wrong", () => {
  const policy = createPolicy({ version: 1 });
  assert.throws(() => policy.check({ ...call("t", {}), arguments: '{"a":1,"a":2}' }), { code: "bad_request" });
  assert.throws(() => policy.check("t", { a: 1n }), /bigint|BigInt/i);
  const much = "x".repeat(1 << 20);
  assert.throws(() => policy.check("t", { much }), { code: "bad_request", message: /limit/ });
  assert.equal(policy.check("t", {}).behavior, "ask");
});

test("bombs are refused and the next call works", () => {
  const policy = createPolicy({ version: 1, deny: ["bash(rm:*)"], allow: ["bash(echo:*)", "bash"] });
  const bombs = [
    `echo ${"$(".repeat(200)}`,
    `echo ${`$${"{x:-"}`.repeat(20_000)}`,
    `echo ${"a".repeat(70_000)}`,
    "(".repeat(5_000),
    `echo ${"$((".repeat(2_000)}`,
  ];
  for (const bomb of bombs) {
    assert.equal(policy.check("bash", bomb).ruleId, "subject.unknown", bomb.slice(0, 20));
    assert.equal(policy.check("bash", "echo x").behavior, "allow");
  }
});

test("a hook that throws gives no approval, one that asks the policy itself gets its answer", () => {
  const throwing = createPolicy(
    { version: 1, allow: ["read(/w/*)"] },
    {
      preapprove: () => {
        throw new Error("no");
      },
      realPath: () => {
        throw new Error("ELOOP");
      },
    },
  );
  assert.equal(throwing.check("write", {}).ruleId, "mode.default");
  assert.equal(throwing.check("read", { path: "/w/a" }).behavior, "ask");
  const inner = createPolicy({ version: 1, allow: ["b"] });
  const asking = createPolicy(
    { version: 1 },
    { preapprove: (tool) => (tool === "a" ? inner.check("b", {}).ruleId : undefined) },
  );
  assert.equal(asking.check("a", {}).ruleId, "rule.project.allow");
  assert.equal(asking.check("c", {}).ruleId, "mode.default");
});

test("an environment may be given with a check", () => {
  const policy = createPolicy({ version: 1, deny: ["read(./.env)"] }, { cwd: "/a" });
  assert.equal(policy.check("read", { path: "/a/.env" }).behavior, "deny");
  assert.equal(policy.check("read", { path: "/b/.env" }).behavior, "ask");
  assert.equal(policy.check("read", { path: "/b/.env" }, { cwd: "/b" }).behavior, "deny");
});

test("session allows: once each, a copy in order, null when empty", () => {
  const sessionAllows = createSessionAllows();
  assert.equal(sessionAllows.sessionAllows(), null);
  sessionAllows.allowForSession("bash", "ls:*");
  sessionAllows.allowForSession("read", "");
  sessionAllows.allowForSession("bash", "ls:*");
  const expected = [
    { tool: "bash", content: "ls:*" },
    { tool: "read", content: "" },
  ];
  assert.deepEqual(sessionAllows.sessionAllows(), expected);
  const policy = createPolicy({ version: 1 });
  assert.equal(policy.check("bash", "ls -l", { sessionAllows }).ruleId, "rule.session.allow");
  sessionAllows.resetSession();
  assert.equal(sessionAllows.sessionAllows(), null);
  assert.equal(policy.check("bash", "ls -l", { sessionAllows }).ruleId, "mode.default");
});

test("suggestions say which recent calls they would have covered", () => {
  const policy = createPolicy({ version: 1 });
  const recent = [
    call("bash", { command: "git status" }),
    call("bash", { command: "git push" }),
    call("read", { path: "/x" }),
  ];
  const [exact, wide, ...rest] = policy.suggest("bash", { command: "git status -s" }, { recent });
  assert.deepEqual(rest, []);
  assert.deepEqual([exact?.content, exact?.covered], ["git status -s", []]);
  assert.deepEqual([wide?.content, wide?.covered], ["git status:*", [recent[0]]]);
});

test("a preview says what a front end can know", () => {
  const policy = createPolicy({ version: 1, deny: ["a"], ask: ["b"], allow: ["c"], tiers: { d: "allow", e: "deny" } });
  const outcomes = ["a", "b", "c", "d", "e", "f"].map((tool) => policy.preview(tool, {}).outcome);
  assert.deepEqual(outcomes, ["refused", "asks", "runs", "runs", "refused", "depends"]);
});

test("layers add up and keep their names; an untrusted one only restricts", () => {
  const merged = mergePolicies(
    { name: "user.json", document: '{"version":1,\n "allow":["bash(ls:*)"],"tiers":{"write":"confirm"}}' },
    {
      name: "repo.json",
      document: '{"version":1,\n "deny":["bash(curl:*)"],\n "allow":["bash"],"tiers":{"write":"allow"},"mode":"yolo"}',
      trust: "restrict",
    },
  );
  const policy = createPolicy(merged);
  assert.equal(policy.check("bash", "rm x").ruleId, "mode.default");
  assert.match(policy.check("bash", "curl x").reason, /repo\.json:2/);
  assert.match(policy.check("bash", "ls").reason, /user\.json:2/);
  const ignored = lintPolicy(merged).filter(({ code }) => code === "ignored-untrusted");
  assert.equal(ignored.length, 3, JSON.stringify(ignored));
  const copied = createPolicy(structuredClone(merged));
  assert.equal(copied.digest, policy.digest);
});

test("lint finds what can never fire and what lets anything run", () => {
  const codes = lintPolicy('{"version":1,"deny":["bash"],"allow":["bash(ls:*)","run(python:*)","read(/src:*)"]}').map(
    ({ code }) => code,
  );
  for (const code of ["dead-rule", "runs-anything", "path-prefix"])
    assert.ok(codes.includes(code), `${code}: ${codes}`);
});

test("testPolicy and replayPolicy compare", () => {
  const before = createPolicy({ version: 1, allow: ["bash(git:*)"] });
  const after = createPolicy({ version: 1, allow: ["bash(git:*)"], deny: ["bash(git push:*)"] });
  const { passed, failed } = testPolicy(after, [
    { tool: "bash", input: "git log", expect: "allow" },
    { tool: "bash", input: "git push", expect: "allow" },
  ]);
  assert.equal(passed, 1);
  assert.deepEqual(
    failed.map(({ case: { input }, got }) => [input, got.ruleId]),
    [["git push", "rule.project.deny"]],
  );
  const calls = ["git log", "git push", "ls"].map((command) => call("bash", { command }));
  const changed = replayPolicy(before, after, calls);
  assert.deepEqual(
    changed.map((each) => [each.call, each.before.rule, each.after.rule]),
    [[calls[1], "bash(git:*)", "bash(git push:*)"]],
  );
});
