// Policies alone: what the host gives beside the document. Options, facts, hooks, layers; and what is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AckError,
  type CheckOptions,
  createPolicy,
  createSessionAllows,
  lintPolicy,
  mergePolicies,
  type Policy,
  type PolicyDocument,
  PolicyError,
  parsePolicy,
  replayPolicy,
  type ToolCall,
  testPolicy,
} from "ackgate";

const call = (toolName: string, input: object, server?: string): ToolCall => ({
  sessionId: "s1",
  toolCallId: "c1",
  toolName,
  arguments: JSON.stringify(input),
  ...(server !== undefined && { server }),
});
const git = (): Policy => createPolicy({ version: 1, allow: ["bash(git status:*)"], deny: ["bash(rm:*)"] });
const refused = (make: () => unknown): PolicyError => {
  let thrown: unknown;
  try {
    make();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof PolicyError && AckError.is(thrown) && thrown.code === "bad_policy", String(thrown));
  return thrown;
};

test("a command line, an arguments object and a call are one question", () => {
  const policy = git();
  assert.equal(policy.check("bash", "git status -s").behavior, "allow");
  assert.equal(policy.check("bash", { command: "git status -s" }).behavior, "allow");
  assert.equal(policy.check(call("bash", { command: "git status -s" })).behavior, "allow");
});

test("a policy is immutable, stays apart from its document, and needs no `this`", () => {
  const document: PolicyDocument = { version: 1, deny: ["a"] };
  const policy = createPolicy(document);
  assert.throws(() => Object.assign(policy, { check: () => ({ behavior: "allow" }) }), TypeError);
  assert.throws(() => Object.assign(policy.counts, { deny: 0 }), TypeError);
  (document.deny as string[]).pop();
  const { check } = policy;
  assert.equal(check("a", {}).behavior, "deny");
});

// ---------------------------------------------------------------------------------------------- what is refused

test("an object's errors have no lines; what JSON does not carry is named", () => {
  const mistyped = { version: 1, mode: "yollo" } as unknown as PolicyDocument;
  const [found] = refused(() => createPolicy(mistyped, { name: "mine" })).diagnostics;
  assert.deepEqual([found?.document, found?.line, found?.hint], ["mine", undefined, "yolo"]);
  const carried = { version: 1, deny: [() => "bash"] } as unknown as PolicyDocument;
  assert.match(refused(() => createPolicy(carried)).message, /`\/deny\/0` is of type function/);
  assert.equal(lintPolicy(carried)[0]?.severity, "error");
  assert.equal(createPolicy({ version: 1, mode: undefined, deny: ["a"] }).counts.deny, 1);
});

test("text may hold comments, but nothing twice and nothing half", () => {
  assert.equal(parsePolicy('{"version": 1, // a comment\n "deny": ["a"]}').counts.deny, 1);
  for (const text of ["", "{", "[]", '{"version": 1, "version": 1}', '{"version": 2}', '{"version": 1}\ud800']) {
    refused(() => parsePolicy(text));
    assert.ok(lintPolicy(text).some(({ severity }) => severity === "error"));
  }
});

test("strict: false drops a malformed allow with a warning, never a malformed deny", () => {
  const policy = parsePolicy('{"version": 1, "allow": ["bash(ls", "read"]}', { strict: false });
  assert.deepEqual([policy.counts.allow, policy.diagnostics[0]?.severity], [1, "warning"]);
  refused(() => parsePolicy('{"version": 1, "deny": ["bash(ls"]}', { strict: false }));
});

const BAD: Record<string, [use: (policy: Policy) => unknown, text: RegExp, code?: string]> = {
  "an unknown option": [() => createPolicy({ version: 1 }, { cdw: "/" } as never), /`cdw`.*`cwd`/],
  "an unknown capability": [
    (p) => p.explain("a", {}, { capability: { readonly: true } as never }),
    /`readonly`.*`readOnly`/,
  ],
  "a capability that is no flag": [
    (p) => p.check("a", {}, { capability: { readOnly: "yes" as never } }),
    /`capability.readOnly` must be a boolean/,
  ],
  "an unknown platform": [() => createPolicy({ version: 1 }, { platform: "win" as never }), /`windows`/],
  "a working directory that is not absolute": [() => createPolicy({ version: 1 }, { cwd: "repo" }), /`cwd` is `repo`/],
  "a working directory of another platform": [() => lintPolicy({ version: 1 }, { cwd: "C:\\repo" }), /`posix`/],
  "a home that is not absolute": [(p) => p.check("a", {}, { home: "~", platform: "windows" }), /`home` is `~`/],
  "a hook that is no function": [() => createPolicy({ version: 1 }, { realPath: "x" as never }), /`realPath`/],
  "session allows that are a list": [(p) => p.check("a", {}, { sessionAllows: [] as never }), /`sessionAllows`/],
  "text for createPolicy": [() => createPolicy("{}" as never), /`parsePolicy` takes text/],
  "a document that is none": [() => parsePolicy(7 as never), /a document object, or its text/],
  "a layer without a name": [() => mergePolicies({ document: { version: 1 } } as never), /layer 1.*`name`/],
  "a mistyped trust": [
    () => mergePolicies({ name: "a", document: { version: 1 }, trust: "restricted" as never }),
    /`restricted`.*`restrict`/,
  ],
  "a case without its end": [(p) => testPolicy(p, [{ tool: "a", input: {} } as never]), /case 1 needs `expect`/],
  "a case with another word": [
    (p) => testPolicy(p, [{ tool: "a", input: {}, expect: "confirm" as never }]),
    /`confirm`/,
  ],
  "a call with an arguments object": [
    (p) => p.check({ ...call("a", {}), arguments: {} as never }),
    /`arguments` of a call/,
    "bad_request",
  ],
  "arguments that are no object": [(p) => p.check({ ...call("a", {}), arguments: "[]" }), /JSON object/, "bad_request"],
  "a command with an unpaired surrogate": [(p) => p.check("bash", "ls \ud800"), /surrogate/, "bad_request"],
  "a session allow of a number": [() => createSessionAllows().allowForSession("a", 1 as never), /text/, "bad_request"],
  "a session allow of no tool": [() => createSessionAllows().allowForSession("", "x"), /`tool`/, "bad_request"],
};
for (const [what, [use, text, code = "bad_options"]] of Object.entries(BAD)) {
  test(`${what} throws ${code}`, () => {
    assert.throws(
      () => use(git()),
      (error) => AckError.is(error) && error.code === code && text.test(error.message),
    );
  });
}

test("a recent call with arguments that can't be judged is covered by nothing", () => {
  const recent = ["{", "[]", '"\ud800"'].map((text) => ({ ...call("mail", {}), arguments: text }));
  for (const { covered } of createPolicy({ version: 1 }).suggest("mail", {}, { recent })) assert.deepEqual(covered, []);
});

// ------------------------------------------------------------------------------------------------ facts and hooks

test("cwd, home and platform: the policy's, or the check's", () => {
  const policy = createPolicy({ version: 1, allow: ["read(/home/u/notes/*)"] }, { cwd: "/home/u", home: "/home/u" });
  const read = (path: string, options?: CheckOptions) => policy.check("read", { path }, options).behavior;
  assert.deepEqual([read("notes/a"), read("~/notes/a"), read("../notes/a")], ["allow", "allow", "ask"]);
  // More others than are kept, twice: what was dropped is compiled again.
  for (let round = 0; round < 2; round++) {
    for (let user = 0; user < 12; user++) {
      assert.equal(read("../u/notes/a", { cwd: `/home/u${user}` }), "allow");
      assert.equal(read("~/notes/a", { home: `/home/u${user}` }), "ask");
    }
  }
  const windows = createPolicy({ version: 1, deny: ["read(C:/Secret/*)"] });
  assert.equal(windows.check("read", { path: "c:\\secret\\a" }, { platform: "windows" }).behavior, "deny");
  assert.equal(windows.check("read", { path: "c:\\secret\\a" }).behavior, "ask");
});

test("realPath: an allow needs the written and the real path, a deny either", () => {
  const rules: PolicyDocument = { version: 1, allow: ["read(/srv/*)"], deny: ["read(/etc/*)"] };
  const said = (realPath: (path: string) => string) =>
    createPolicy(rules, { realPath }).check("read", { path: "/srv/a" }).behavior;
  assert.equal(
    said((path) => path),
    "allow",
  );
  assert.equal(
    said(() => "/etc/passwd"),
    "deny",
  );
  assert.equal(
    said(() => "/elsewhere"),
    "ask",
  );
});

const NO_ANSWER: Record<string, () => unknown> = {
  throws: () => {
    throw new Error("gone");
  },
  "answers nothing": () => undefined,
  "answers a number": () => 7,
  "answers a promise": () => Promise.resolve("/srv/a"),
  "answers a promise that rejects": () => Promise.reject(new Error("late")),
  "answers half a character": () => "/srv/\ud800",
};
for (const [what, hook] of Object.entries(NO_ANSWER)) {
  test(`a resolver that ${what} allows nothing, a hook \`preapprove\` that does approves nothing`, () => {
    const policy = createPolicy(
      { version: 1, allow: ["read(/srv/*)"] },
      { realPath: hook as () => string, preapprove: hook as () => string },
    );
    assert.equal(policy.check("read", { path: "/srv/a" }).behavior, "ask");
    assert.equal(policy.check("mail", {}).ruleId, "mode.default");
  });
}

test("preapprove hears a tool by its key, can't change what is judged, and lifts no deny", () => {
  const heard: unknown[] = [];
  const policy = createPolicy(
    { version: 1, deny: ["wipe"] },
    {
      preapprove: (tool, input) => {
        heard.push(tool, input);
        assert.throws(() => Object.assign(input as object, { to: "b" }), TypeError);
        return tool === "crm/mail" ? "host.ok" : undefined;
      },
    },
  );
  assert.equal(policy.check("mail", { to: "a" }).ruleId, "mode.default");
  assert.deepEqual(heard, ["mail", { to: "a" }]);
  assert.equal(policy.check("mail", { to: "a" }, { server: "crm" }).ruleId, "host.ok");
  assert.equal(policy.check(call("mail", {}, "crm")).behavior, "allow");
  // A name that only looks like a server's tool.
  assert.equal(policy.check("crm/mail", {}).behavior, "ask");
  assert.equal(policy.check("wipe", {}, { preapprove: () => "host.ok" }).behavior, "deny");
});

test("hooks may ask their own policy; without an end that is no approval and harms nobody", () => {
  const alone: CheckOptions = { preapprove: () => undefined, realPath: (path) => path };
  const policy: Policy = createPolicy(
    { version: 1, allow: ["list", "read(/srv/*)"] },
    {
      preapprove: () => policy.check("list", {}, alone).ruleId,
      realPath: (path) => (policy.check("list", {}, alone).behavior === "allow" ? path : "/"),
    },
  );
  assert.equal(policy.check("other", {}).ruleId, "rule.project.allow");
  assert.equal(policy.check("read", { path: "/srv/x" }).ruleId, "rule.project.allow");
  const endless: Policy = createPolicy(
    { version: 1, deny: ["a"] },
    { preapprove: () => endless.check("b", {}).ruleId.replace("mode.default", "") },
  );
  assert.equal(endless.check("b", {}).ruleId, "mode.default");
  assert.equal(endless.check("a", {}).behavior, "deny");
});

test("mode and capability of a check; the document's mode may be stricter", () => {
  const id = (options: CheckOptions, document: PolicyDocument = { version: 1 }) =>
    createPolicy(document).check("read", {}, options).ruleId;
  assert.equal(id({ mode: "yolo" }), "mode.yolo");
  assert.equal(id({ mode: "read_only" }), "mode.read_only");
  assert.equal(id({ capability: { readOnly: true } }), "cap.readOnly");
  assert.equal(id({ mode: "yolo", capability: { alwaysAsk: true } }), "tool.alwaysAsk");
  assert.equal(id({ mode: "yolo" }, { version: 1, mode: "read_only" }), "mode.read_only");
});

// -------------------------------------------------------------------------------------------------- layers, replays

test("a merged document is frozen, keeps its layers, and is a document like any when it is copied", () => {
  const merged = mergePolicies(
    { name: "team.json", document: '{"version": 1,\n"allow": ["bash(ls:*)"]}' },
    {
      name: "repo.json",
      trust: "restrict",
      document: '{"version": 1,\n\n"allow": ["bash"], "deny": ["bash(ls -la)"]}',
    },
  );
  for (const policy of [createPolicy(merged), parsePolicy(merged as never)]) {
    const [ignored, ...rest] = policy.diagnostics;
    assert.deepEqual(
      [ignored?.code, ignored?.document, ignored?.line, rest],
      ["ignored-untrusted", "repo.json", 3, []],
    );
    const stage = policy.explain("bash", "ls -la").stages.find(({ matched, rule }) => matched && rule);
    assert.deepEqual([stage?.document, stage?.line], ["repo.json", 3]);
  }
  assert.throws(() => (merged.deny as string[]).pop(), TypeError);
  const copy = createPolicy(JSON.parse(JSON.stringify(merged)));
  assert.deepEqual(copy.diagnostics, []);
  assert.equal(copy.check("bash", "ls -la").behavior, "deny");
  refused(() => mergePolicies({ name: "bad.json", document: '{"version": 1, "mode": "x"}' }));
});

test("layers of a merged document stay layers, and can be restricted as a whole", () => {
  const base = mergePolicies({ name: "a", document: '{"version": 1, "allow": ["x"]}' });
  const more = mergePolicies({ name: "b", document: { version: 1, allow: ["y"] } }, { name: "c", document: base });
  assert.equal(
    createPolicy(more)
      .explain("x", {})
      .stages.find(({ rule }) => rule === "x")?.document,
    "a",
  );
  const less = mergePolicies({ name: "c", document: base, trust: "restrict" });
  assert.equal(createPolicy(less).check("x", {}).behavior, "ask");
});

test("replayPolicy takes any history; arguments that can't be judged are refused by every policy", () => {
  function* history() {
    yield call("bash", { command: "git status" });
    yield { ...call("bash", {}), arguments: "{" };
  }
  assert.deepEqual(replayPolicy(git(), git(), history()), []);
  const limited = createPolicy({ version: 1, limits: { argumentsBytes: 8 } });
  const [changed, ...rest] = replayPolicy(git(), limited, history());
  assert.deepEqual([changed?.before.behavior, changed?.after.ruleId, rest], ["allow", "invalid-arguments", []]);
});

test("many policies come and go", () => {
  for (let round = 0; round < 2000; round++) createPolicy({ version: 1, deny: [`t${round}`] });
  assert.equal(git().check("bash", "rm x").behavior, "deny");
});
