// A gate with a policy: its first source, swaps, modes, traits, what is remembered, and explaining without a trace left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate, createPolicy, type Grant, memoryGrants, memoryState, type PermissionEvent } from "ackgate";

const call = (command: string, toolCallId = "c1") => ({
  sessionId: "s1",
  toolCallId,
  toolName: "bash",
  arguments: { command },
});
const bash = ({ command }: { command: string }) => `ran ${command}`;
const quiet = { warn() {}, error() {} };
const RULES = { version: 1, deny: ["bash(rm:*)"], allow: ["bash(ls:*)"], ask: ["bash(git push:*)"] } as const;

test("a name in the policy that is no tool of the gate is a warning that names the nearest one", () => {
  const warned: string[] = [];
  const logger = { warn: (message: string) => warned.push(message), error() {} };
  const tools = { bash: () => "", read_note: () => "" };
  const policy = {
    version: 1,
    deny: ["bsh(rm:*)", "bash(rm:*)", "Write(/etc/*)"],
    tiers: { raed_note: "deny" },
  } as const;
  createGate({ state: memoryState(), tools, policy, logger });
  assert.equal(warned.length, 2);
  assert.match(warned.join(" "), /`bsh`.*bash.*`raed_note`.*read_note/s);
});

test("the rules are the first source, by the name `rules`", async () => {
  const events: PermissionEvent[] = [];
  const gate = createGate({
    state: memoryState(),
    tools: { bash },
    policy: RULES,
    sources: { hook: async () => "allow" },
    onPermission: (event) => events.push(event),
  });
  const refused = await gate.execute(call("ls; rm x"));
  assert.ok(refused.denied);
  assert.match(refused.content, /`bash\(rm:\*\)`/);
  assert.equal((await gate.execute(call("ls", "c2"))).content, '"ran ls"');
  const forced = await gate.evaluate(call("git push"));
  assert.ok(forced.disposition === "confirm" && forced.forced);
  const endorsed = await gate.evaluate(call("curl x"));
  assert.deepEqual(endorsed, { disposition: "allow", basis: "endorsement", source: "hook" });
  assert.deepEqual(
    events.map(({ allowed, basis, source }) => [allowed, basis, source]),
    [
      [false, "verdict", "rules"],
      [true, "endorsement", "rules"],
    ],
  );
  await gate.close();
});

test("a call in flight ends on the policy it began with", async () => {
  let release = (): void => {};
  let reached = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const gate = createGate({
    state: memoryState(),
    tools: { bash },
    policy: RULES,
    sources: {
      slow: async () => {
        reached();
        await waiting;
        return "abstain";
      },
    },
  });
  const before = gate.evaluate(call("ls"));
  await asked;
  gate.setPolicy({ version: 1, deny: ["bash(ls:*)"] });
  release();
  assert.equal((await before).disposition, "allow");
  assert.equal((await gate.evaluate(call("ls"))).disposition, "deny");
  await gate.close();
});

test("a swap by a callback that a call is waiting for throws", async () => {
  const errors: unknown[] = [];
  const gate = createGate({
    state: memoryState(),
    tools: { bash },
    policy: RULES,
    logger: quiet,
    tier: () => {
      try {
        gate.setPolicy({ version: 1 });
      } catch (error) {
        errors.push((error as { code: string }).code);
      }
      return undefined;
    },
  });
  assert.equal((await gate.evaluate(call("rm x"))).disposition, "deny");
  assert.deepEqual(errors, ["conflict"]);
  await gate.close();
});

test("explain sees everything and leaves nothing behind", async () => {
  const state = memoryState();
  const events: unknown[] = [];
  const used: Grant[] = [];
  const limited = (content: string): Grant => {
    return {
      id: "g",
      app: "app",
      userId: "u",
      sessionId: "s1",
      toolName: "bash",
      createdBy: "u",
      createdAt: 1,
      content,
      usesLeft: 1,
    };
  };
  const gate = createGate({
    state,
    app: "app",
    user: "u",
    tools: { bash },
    policy: createPolicy(RULES, { name: "p.json" }),
    sources: { hook: async () => "abstain" },
    grants: { lookup: () => limited("git log:*"), save() {}, consume: async (grant) => used.push(grant) > 0 },
    onPermission: (event) => events.push(event),
  });
  const emitted: unknown[] = [];
  const options = { emit: (event: unknown) => void emitted.push(event) };
  const explained = await gate.explain(call("git log"), options);
  assert.deepEqual(explained.evaluation, { disposition: "allow", basis: "grant", source: "" });
  assert.deepEqual(
    explained.stages.filter(({ matched }) => matched).map(({ stage }) => stage),
    ["subjects", "mode.default", "grants", "use of g"],
  );
  const asks = await gate.explain(call("ls && curl x"), options);
  assert.match(asks.human, /`bash\(ls:\*\)` .*covers `ls`, nothing covers `curl x`/);
  assert.match((await gate.explain(call("rm x"), options)).model, /not permitted here by `bash\(rm:\*\)`/);
  assert.deepEqual([events, used, emitted], [[], [], []]);
  assert.deepEqual(await state.list({ app: "app", user: "u", session: "s1" }, "confirmation"), []);
  await gate.close();
});

test("what is remembered from a card answers the same call, and no wider one", async () => {
  const gate = createGate({ state: memoryState(), user: "u1", tools: { bash }, policy: RULES, grants: memoryGrants() });
  const asked = await gate.request(call("git status -s"));
  assert.ok(asked.disposition === "confirm");
  assert.deepEqual(
    asked.request.suggestions?.map(({ content, text }) => [content, text]),
    [
      ["", "exactly this call of `bash`"],
      ["git status:*", "every command that starts with `git status`"],
    ],
  );
  const decision = { sessionId: "s1", confirmationId: asked.request.confirmationId, approved: true } as const;
  const done = gate.execute(call("git status -s"));
  await gate.decide({ ...decision, remember: "session" });
  assert.equal((await done).denied, false);
  assert.equal((await gate.evaluate(call("git status -s", "c2"))).disposition, "allow");
  assert.equal((await gate.evaluate(call("git status", "c3"))).disposition, "confirm");
  const forced = await gate.request(call("git push", "c4"));
  assert.ok(forced.disposition === "confirm" && forced.request.suggestions === undefined);
  await gate.close();
});

test("modes: the gate's, the run's, the stricter of both; a mode function that fails is the strictest", async () => {
  const tools = { write: () => 1, read: { readOnly: true, run: () => 1 } };
  const write = { sessionId: "s1", toolCallId: "c1", toolName: "write", arguments: "{}" };
  const read = { ...write, toolName: "read" };
  const state = memoryState();
  const yolo = createGate({ state, tools, defaultTier: "confirm", mode: "yolo", logger: quiet });
  assert.equal((await yolo.evaluate(write)).disposition, "allow");
  const inRun = yolo.run({ sessionId: "s1", mode: "read_only" }, () => yolo.evaluate(write));
  assert.equal((await inRun).disposition, "deny");
  const failing = createGate({
    state,
    tools,
    defaultTier: "confirm",
    logger: quiet,
    mode: () => {
      throw new Error("no");
    },
  });
  assert.equal((await failing.evaluate(write)).disposition, "deny");
  assert.equal((await failing.evaluate(read)).disposition, "allow");
  assert.throws(() => createGate({ state, tools, defaultTier: "allow", mode: "yoloo" as "yolo" }), {
    code: "bad_options",
  });
  await Promise.all([yolo.close(), failing.close()]);
});

test("traits of tools: alwaysAsk, requiresUserInteraction, subjects and shell", async () => {
  const run = () => 1;
  const gate = createGate({
    state: memoryState(),
    tools: {
      deploy: { alwaysAsk: true, run },
      ask_user: { requiresUserInteraction: true, run },
      mail: { subjects: { to: "text" }, run },
      pwsh: { shell: "powershell", run },
    },
    policy: { version: 1, allow: ["deploy", "ask_user", "mail(*@docs.test)"], deny: ["pwsh(Remove-Item:*)"] },
  });
  const judge = async (toolName: string, args: object) => {
    const seen = await gate.evaluate({ sessionId: "s1", toolCallId: "c1", toolName, arguments: { ...args } });
    return "forced" in seen ? `${seen.disposition} ${seen.forced}` : seen.disposition;
  };
  assert.equal(await judge("deploy", {}), "confirm true");
  assert.equal(await judge("ask_user", {}), "confirm true");
  assert.equal(await judge("mail", { to: "a@docs.test" }), "allow");
  assert.equal(await judge("mail", { to: "a@evil.test" }), "confirm false");
  assert.equal(await judge("pwsh", { command: "RM x" }), "deny");
  await gate.close();
});

test("after a yes the policy of that moment is asked once more", async () => {
  const gate = createGate({ state: memoryState(), tools: { bash }, policy: RULES });
  const asked = await gate.request(call("curl x"));
  assert.ok(asked.disposition === "confirm");
  const done = gate.execute(call("curl x"));
  gate.setPolicy({ version: 1, deny: ["bash(curl:*)"] });
  await gate.decide({ sessionId: "s1", confirmationId: asked.request.confirmationId, approved: true });
  assert.equal((await done).denied, true);
  await gate.close();
});
