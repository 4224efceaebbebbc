// A gate with a policy, in its corners: tiers, wrong policies, swaps by callbacks, explanations, traits, hooks, the wire.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AckError,
  type CallOptions,
  createGate,
  createPolicy,
  type Explanation,
  type GateOptions,
  type Mode,
  memoryGrants,
  memoryState,
  mergePolicies,
  type PolicyDocument,
  PolicyError,
} from "ackgate";

const SESSION = "s1";
const RULES: PolicyDocument = {
  version: 1,
  deny: ["bash(rm:*)"],
  ask: ["mail"],
  allow: ["bash(ls:*)", "read(/repo/*)"],
};

/** A gate with four tools; what it would do with a call in one text. */
function bench(options: Partial<GateOptions> = {}) {
  const logged: string[] = [];
  const log = (text: string) => void logged.push(text);
  const gate = createGate({
    state: memoryState(),
    user: "u1",
    tools: Object.fromEntries(["bash", "mail", "read", "note"].map((name) => [name, () => name])),
    policy: RULES,
    logger: { warn: log, error: log },
    ...(options as object),
  });
  let calls = 0;
  const init = (toolName: string, input: string | object) => ({
    sessionId: SESSION,
    toolCallId: `c${++calls}`,
    toolName,
    arguments: JSON.stringify(typeof input === "string" ? { command: input } : input),
  });
  return {
    gate,
    logged,
    judge: async (toolName: string, input: string | object, given?: CallOptions): Promise<string> => {
      const said = await gate.evaluate(init(toolName, input), given);
      if (said.disposition === "confirm") return said.forced ? "forced" : "asks";
      return `${said.disposition} ${said.basis} ${said.source}`.trim();
    },
    explain: (toolName: string, input: string | object): Promise<Explanation> => gate.explain(init(toolName, input)),
    execute: (toolName: string, input: string | object) => gate.execute(init(toolName, input)),
    async card() {
      while ((await gate.pending(SESSION)).length === 0) await new Promise((resolve) => setImmediate(resolve));
      const [card] = await gate.pending(SESSION);
      assert.ok(card);
      return card;
    },
    decide: (confirmationId: string, approved: boolean, remember?: "session") =>
      gate.decide({ sessionId: SESSION, confirmationId, approved, remember } as never),
  };
}
const grant = (toolName: string, content = "") => ({
  id: `${toolName} ${content}`,
  app: "ack",
  userId: "u1",
  sessionId: SESSION,
  toolName,
  createdBy: "u1",
  createdAt: 0,
  content,
});
const refuses = (code: string, text: RegExp) => (error: unknown) =>
  AckError.is(error) && error.code === code && text.test(error.message);

test("an ask rule forces a person, whatever endorses or is remembered", async () => {
  const { judge, execute, card, decide } = bench({ grants: memoryGrants(), sources: { yes: () => "allow" as const } });
  assert.equal(await judge("note", {}), "allow endorsement yes");
  const running = execute("mail", { to: "a" });
  const { confirmationId, forced, suggestions, reason } = await card();
  assert.deepEqual([forced, suggestions ?? []], [true, []]);
  assert.match(reason ?? "", /`mail`/);
  await decide(confirmationId, true, "session");
  assert.equal((await running).denied, false);
  assert.equal(await judge("mail", { to: "a" }), "forced");
});

test("saved contents cover a compound together, not with a rule, and lift no deny", async () => {
  const grants = memoryGrants();
  const { judge, gate } = bench({ grants });
  await grants.save(grant("bash", "git diff:*"), {});
  assert.equal(await judge("bash", "git diff; ls"), "asks");
  await grants.save(grant("bash", "ls:*"), {});
  assert.equal(await judge("bash", "git diff; ls"), "allow grant");
  gate.setPolicy({ version: 1, deny: ["bash(git diff:*)"] });
  assert.equal(await judge("bash", "git diff; ls"), "deny verdict rules");
});

// ------------------------------------------------------------------------------------------------------- tiers

test("a policy with rules makes the default tier `confirm`; without one somebody must say it", async () => {
  assert.equal(await bench({ policy: { version: 1, deny: ["x"] } }).judge("note", {}), "asks");
  assert.equal(await bench({ policy: { version: 1, deny: ["x"] }, tier: () => undefined }).judge("note", {}), "asks");
  const silent = refuses("bad_options", /neither `defaultTier`, `tier` nor a policy with rules/);
  assert.throws(() => bench({ policy: undefined }), silent);
  assert.throws(() => bench({ policy: { version: 1 } }), silent);
  assert.throws(() => bench({ policy: { version: 1 }, tools: () => ({}) }), silent);
  assert.throws(() => bench({ policy: { version: 1, tiers: { bash: "allow", mail: "allow", read: "deny" } } }), silent);
  bench({ policy: { version: 1, tiers: { bash: "allow", mail: "allow", read: "allow", note: "deny" } } });
  bench({ policy: { version: 1, defaultTier: "allow" } });
});

test("where document and gate both give a tier, the stricter counts", async () => {
  const { judge } = bench({
    policy: { version: 1, tiers: { bash: "allow", note: "deny", mail: "allow" }, defaultTier: "allow" },
    tiers: { bash: "confirm", note: "allow" } as object,
    defaultTier: "confirm",
  });
  assert.equal(await judge("bash", "ls"), "asks");
  assert.equal(await judge("note", {}), "deny tier");
  assert.equal(await judge("mail", {}), "allow tier");
  assert.equal(await judge("read", {}), "asks");
  const strict = bench({ policy: { version: 1, defaultTier: "deny" }, defaultTier: "allow" });
  assert.equal(await strict.judge("read", {}), "deny tier");
});

test("a guarded tool gets its tier from the policy", () => {
  const { gate } = bench({ policy: { version: 1, tiers: { send: "confirm" } }, tools: {} });
  gate.guard("send", () => 1);
  assert.throws(() => gate.guard("sent", () => 1), /`sent` has no tier/);
  assert.throws(() => gate.guard("send", () => 1, { readonly: true } as never), /`readonly`.*`readOnly`/);
  assert.throws(() => gate.guard("send", () => 1, { subjects: { to: "txt" } }), /`txt`.*`text`/);
});

// ----------------------------------------------------------------------------------------------- what is refused

test("a wrong policy stops createGate and setPolicy, and the old one stays", async () => {
  assert.throws(() => bench({ policy: { version: 1, mode: "yollo" } as never }), PolicyError);
  const { gate, judge } = bench();
  assert.throws(() => gate.setPolicy({ version: 1, deny: ["bash(rm"] }), PolicyError);
  for (const wrong of [undefined, null, "{}", 7, { check() {} }]) {
    assert.throws(() => gate.setPolicy(wrong as never), refuses("bad_options", /polic/i));
  }
  const schema: PolicyDocument = { version: 1, deny: ["x"], tools: { note: { inputSchema: { type: "object" } } } };
  assert.throws(() => gate.setPolicy(schema), /`inputSchema` for the tool `note`/);
  assert.equal(await judge("bash", "rm x"), "deny verdict rules");
});

test("what loading warns about is logged", () => {
  const policy = mergePolicies(
    { name: "base.json", document: { version: 1, deny: ["x"] } },
    { name: "repo.json", document: '{"version": 1,\n"allow": ["bash"]}', trust: "restrict" },
  );
  assert.match(bench({ policy }).logged.join(), /repo\.json:2:\d+: the allow rule `bash` is ignored/);
});

for (const [what, options, text] of [
  ["mode", { mode: "readonly" }, /`readonly`.*`read_only`/],
  ["tool", { tools: { bash: { run: () => 1, readonly: true } } }, /`readonly`.*`readOnly`/],
  ["trait", { tools: { bash: { run: () => 1, alwaysAsk: "yes" } } }, /`alwaysAsk` of the tool `bash`/],
  ["shell", { tools: { bash: { run: () => 1, shell: "power-shell" } } }, /`power-shell`.*`powershell`/],
] as const) {
  test(`createGate refuses a mistyped ${what}`, () => {
    assert.throws(() => bench(options as never), refuses("bad_options", text));
  });
}

test("gate.run refuses a mistyped mode", () => {
  const run = () => bench().gate.run({ sessionId: SESSION, mode: "readonly" as Mode }, () => 1);
  assert.throws(run, refuses("bad_options", /`readonly`.*`read_only`/));
});

// ------------------------------------------------------------------------------------------------------ swapping

for (const callback of ["tier", "mode", "preapprove", "realPath"] as const) {
  test(`swapping the policy from inside \`${callback}\` throws \`conflict\` and changes nothing`, async () => {
    const caught: unknown[] = [];
    const swap = (given: unknown): unknown => {
      try {
        bed.gate.setPolicy({ version: 1 });
      } catch (error) {
        caught.push(error);
      }
      // A mode's word, a path as it is, no opinion.
      return callback === "mode" ? "default" : callback === "realPath" ? given : undefined;
    };
    const ofGate = callback === "tier" || callback === "mode";
    const hook = { [callback]: swap };
    const bed = bench({ policy: createPolicy(RULES, ofGate ? {} : hook), ...(ofGate && hook) } as never);
    await bed.judge("note", { path: "/repo/a" });
    assert.equal(caught.length, 1);
    assert.ok(refuses("conflict", /swapped/)(caught[0]), String(caught[0]));
    assert.equal(await bed.judge("bash", "rm x"), "deny verdict rules");
    // Afterwards it is free again.
    bed.gate.setPolicy({ version: 1, deny: ["note"] });
    assert.equal(await bed.judge("note", {}), "deny verdict rules");
  });
}

// ---------------------------------------------------------------------------------------------------- explaining

test("explain: the rules' own words where they decided", async () => {
  const { explain } = bench({ policy: createPolicy(RULES, { name: "policy.json" }) });
  const refused = await explain("bash", "ls; rm x");
  assert.deepEqual([refused.decision.rule, refused.evaluation?.disposition], ["bash(rm:*)", "deny"]);
  assert.match(refused.human, /`bash\(rm:\*\)` \(policy\.json\) forbids/);
  assert.match(refused.model, /not permitted here by `bash\(rm:\*\)`.*Do not retry/);
  const { ruleId, basis, source } = refused.log;
  assert.deepEqual([ruleId, basis, source], ["rule.project.deny", "verdict", "rules"]);
  const open = await explain("bash", "git diff");
  assert.match(open.human, /nothing covers `git diff`\. The allow rule .* would let it run/);
  assert.equal(open.stages.at(-1)?.stage, "mode.default");
});

test("explain: who else decided, with what the gate asked", async () => {
  const grants = memoryGrants();
  const { explain, gate } = bench({
    grants,
    tier: ({ toolName }) => (toolName === "read" ? "deny" : undefined),
    sources: {
      risk: ({ toolName, input }) => {
        if (toolName !== "note") return "abstain";
        return input.secret ? { verdict: "deny", reason: "secret" } : "confirm";
      },
    },
  });
  const stages = ({ stages: all }: Explanation) => all.map(({ stage, matched }) => `${stage} ${matched}`);
  const tier = await explain("read", {});
  assert.deepEqual(stages(tier), ["tier true"]);
  assert.match(tier.human, /`read` is refused: its tier is `deny`/);
  assert.deepEqual([tier.decision.behavior, tier.decision.ruleId], ["deny", "tier"]);
  const source = await explain("note", { secret: true });
  assert.match(source.human, /the source `risk` forbids it \(secret\)/);
  assert.equal(stages(source)[0], "tier false");
  assert.ok(stages(source).includes("mode.default true"));
  assert.equal(stages(source).at(-1), "source risk true");
  const forced = await explain("note", {});
  assert.match(forced.human, /`risk`.*Only the person's approval lets it run/);
  await grants.save(grant("bash", "git diff"), {});
  const granted = await explain("bash", "git diff");
  assert.match(granted.human, /`bash` runs: a grant covers it/);
  assert.deepEqual([stages(granted).at(-1), granted.model], ["grants true", "`bash` may run."]);
  const invalid = await gate.explain({ sessionId: SESSION, toolCallId: "c", toolName: "bash", arguments: "{" });
  assert.match(invalid.human, /its arguments can't be judged/);
  assert.match(invalid.model, /corrected arguments/);
});

test("explain without a policy tells the tier and what would let the call run", async () => {
  const { explain } = bench({ policy: undefined, tiers: { read: "allow" } as object, defaultTier: "confirm" });
  assert.match((await explain("read", {})).human, /`read` runs: its tier is `allow`/);
  const asked = await explain("note", {});
  assert.deepEqual([asked.decision.behavior, asked.decision.ruleId], ["ask", "mode.default"]);
  assert.match(asked.human, /The person's approval, a grant, a source/);
});

test("explain: a session's grant lifts what always asks; hooks are asked once", async () => {
  const grants = memoryGrants();
  const asked: string[] = [];
  const ask = <T>(what: string, answer: T): T => {
    asked.push(what);
    return answer;
  };
  const policy = createPolicy(
    { ...RULES, tools: { note: { alwaysAsk: true } } },
    { realPath: (path) => ask(path, path), preapprove: (tool) => ask(tool, "host.ok") },
  );
  const { explain, judge } = bench({ grants, policy });
  assert.equal(await judge("note", {}), "forced");
  await grants.save(grant("note"), {});
  const said = await explain("note", {});
  assert.deepEqual([said.decision.ruleId, said.evaluation?.disposition], ["rule.session.allow", "allow"]);
  assert.equal(said.stages.find(({ stage }) => stage === "rule.session.allow")?.matched, true);
  const approved = await explain("other", { path: "/repo/a" });
  assert.deepEqual([approved.decision.ruleId, asked], ["host.ok", ["/repo/a", "other"]]);
});

// --------------------------------------------------------------------------------------- modes, traits, hooks

test("a mode function hears the call and its context; a call can't ease its run's mode", async () => {
  const heard: unknown[] = [];
  const { judge, gate } = bench({
    mode: ({ input }, { user }) => {
      heard.push(input, user);
      return "yolo";
    },
  });
  assert.equal(await judge("note", { a: 1 }, { context: { user: "u1" } }), "allow endorsement rules");
  assert.deepEqual(heard, [{ a: 1 }, "u1"]);
  assert.equal(await judge("bash", "rm x"), "deny verdict rules");
  const eased = () => judge("note", {}, { mode: "yolo" } as CallOptions);
  assert.equal(await gate.run({ sessionId: SESSION, mode: "default" }, eased), "asks");
});

const NO_MODE: Record<string, () => unknown> = {
  throws: () => {
    throw new Error("gone");
  },
  "gives another word": () => "readonly",
  "gives nothing": () => undefined,
  "gives a promise": () => Promise.reject(new Error("late")),
};
for (const [what, mode] of Object.entries(NO_MODE)) {
  test(`a mode function that ${what} means read_only, and is logged`, async () => {
    const { judge, logged } = bench({ mode: mode as () => Mode });
    assert.equal(await judge("note", {}), "deny verdict rules");
    assert.match(logged.join(), /`mode` failed/);
  });
}

const run = () => 1;

test("traits of a table, of tools by context, and of guards", async () => {
  const tools = {
    look: { readOnly: true, run },
    deploy: { alwaysAsk: true, run },
    ask_user: { requiresUserInteraction: true, run },
    note: run,
  };
  const judged = async ({ judge }: ReturnType<typeof bench>) => {
    const said: string[] = [];
    for (const name of Object.keys(tools)) said.push(await judge(name, {}));
    return said;
  };
  const expected = ["allow endorsement rules", "forced", "forced", "asks"];
  assert.deepEqual(await judged(bench({ tools })), expected);
  assert.deepEqual(await judged(bench({ tools: () => tools })), expected);
  const guarded = bench({ tools: {} });
  guarded.gate.guard("look", run, { readOnly: true });
  guarded.gate.guard("deploy", run, { alwaysAsk: true });
  guarded.gate.guard("ask_user", run, { requiresUserInteraction: true });
  assert.deepEqual(await judged(guarded), expected);
  const reading = ["allow endorsement rules", "deny verdict rules", "forced", "deny verdict rules"];
  assert.deepEqual(await judged(bench({ tools, mode: "read_only" })), reading);
});

test("subjects and shell of a table, of tools by context, and of guards", async () => {
  const policy: PolicyDocument = { version: 1, deny: ["send(secret:*)"], allow: ["send(hello)", "win(dir)"] };
  const send = { subjects: { text: "text" }, run };
  const judged = async ({ judge }: ReturnType<typeof bench>) => {
    const said: string[] = [];
    for (const text of ["hello", "secret plan", "else"]) said.push(await judge("send", { text }));
    return said;
  };
  const expected = ["allow endorsement rules", "deny verdict rules", "asks"];
  assert.deepEqual(await judged(bench({ policy, tools: { send } })), expected);
  assert.deepEqual(await judged(bench({ policy, tools: () => ({ send }) })), expected);
  const guarded = bench({ policy, tools: {} });
  guarded.gate.guard("send", run, { subjects: { text: "text" } });
  assert.deepEqual(await judged(guarded), expected);
  // Without a policy of the host the traits are no rules, and the tier stands.
  const alone = bench({ policy: undefined, tools: { send }, tiers: { send: "allow" } as object });
  assert.equal(await alone.judge("send", {}), "allow tier");
  const shell = bench({ policy, tools: { win: { shell: "powershell", run } } });
  assert.equal(await shell.judge("win", "dir /s"), "asks");
  assert.equal(await shell.judge("win", "dir"), "allow endorsement rules");
});

test("traits that can't be used refuse the calls of their tool", async () => {
  const late = bench({ tools: () => ({ send: { subjects: { text: "txt" }, run } }) });
  assert.equal((await late.execute("send", { text: "x" })).denied, true);
  assert.match(late.logged.join(), /`tools` failed/);
});

test("idempotent: somebody says it and nobody denies it", async () => {
  for (const [ofTool, ofDocument, expected] of [
    [true, undefined, true],
    [undefined, true, true],
    [true, false, false],
    [false, true, false],
    [undefined, undefined, false],
  ] as const) {
    const state = memoryState();
    const tools = { note: { idempotent: ofTool, run } };
    const policy: PolicyDocument = { version: 1, deny: ["x"], tools: { note: { idempotent: ofDocument } } };
    const { execute, card, decide } = bench({ state, policy, tools });
    const running = execute("note", {});
    const { confirmationId } = await card();
    const stored = await state.read({ app: "ack", user: "u1", session: SESSION }, `c:${confirmationId}`);
    assert.equal(JSON.parse(stored?.record ?? "{}").idempotent ?? false, expected, `${ofTool} ${ofDocument}`);
    await decide(confirmationId, false);
    await running;
  }
});

test("hooks of the policy: approved beforehand, the working directory, the real path", async () => {
  const heard: unknown[] = [];
  const policy = createPolicy(RULES, {
    cwd: "/repo",
    realPath: (path) => path.replace("/repo/link", "/etc"),
    preapprove: (tool, input) => {
      heard.push([tool, input]);
      return tool === "note" ? "host.ok" : undefined;
    },
  });
  const { judge } = bench({ policy });
  assert.equal(await judge("note", { a: 1 }), "allow endorsement rules");
  assert.deepEqual(heard, [["note", { a: 1 }]]);
  assert.equal(await judge("read", { path: "a" }), "allow endorsement rules");
  assert.equal(await judge("read", { path: "link/a" }), "asks");
});

test("hooks that fail approve nothing and are logged", async () => {
  const thrown = (): never => {
    throw new Error("gone");
  };
  const { judge, logged } = bench({ policy: createPolicy(RULES, { realPath: thrown, preapprove: thrown }) });
  assert.equal(await judge("note", {}), "asks");
  assert.match(logged.join(), /`preapprove` failed/);
  assert.equal(await judge("read", { path: "/repo/a" }), "asks");
  assert.match(logged.join(), /`paths` failed/);
});

test("a hook may call the gate", async () => {
  let inner: Promise<string> | undefined;
  const policy = createPolicy(RULES, {
    preapprove: (tool) => {
      if (tool === "note") inner = judge("bash", "ls");
      return "host.ok";
    },
  });
  const { judge } = bench({ policy });
  assert.equal(await judge("note", {}), "allow endorsement rules");
  assert.equal(await inner, "allow endorsement rules");
});

// -------------------------------------------------------------------------------------------------------- the wire

test("GET {base}/policy shows what it is given, to who is known, and else is not there", async () => {
  const { gate } = bench();
  const identify = (request: Request) => {
    if (request.headers.get("cookie") !== "u1") throw new Response(null, { status: 401 });
    return { user: "u1" };
  };
  const get = (publicPolicy: PolicyDocument | undefined, cookie = "u1") =>
    gate.handler({ identify, publicPolicy })(new Request("http://host/ack/policy", { headers: { cookie } }));
  assert.equal((await get(undefined)).status, 404);
  assert.deepEqual(await (await get({ version: 1, deny: ["a"] })).json(), { version: 1, deny: ["a"] });
  assert.equal((await get(RULES, "")).status, 401);
  assert.throws(() => gate.handler({ identify, publicPolicy: { version: 2 } as never }), PolicyError);
  const of = gate.handler({ identify, publicPolicy: createPolicy(RULES) });
  const shown = await of(new Request("http://host/ack/policy", { headers: { cookie: "u1" } }));
  assert.equal(createPolicy(await shown.json()).digest, createPolicy(RULES).digest);
});
