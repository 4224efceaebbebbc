// An engine that traps: the call fails closed, the instance is replaced, the next call works.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AckError, createGate, createPolicy, init, memoryState } from "ackgate/core";

const path = process.env.ACKGATE_TEST_TRAP_WASM;
const exportsOf = (bytes: BufferSource): string[] =>
  WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map(({ name }) => name);
const call = (toolName: string) => ({ sessionId: "s1", toolCallId: "c1", toolName, arguments: "{}" });

test("the packed wasm can't be made to trap", () => {
  const packed = readFileSync(new URL(import.meta.resolve("ackgate/ackgate_bg.wasm")));
  assert.deepEqual(
    exportsOf(packed).filter((name) => name.includes("trap")),
    [],
  );
});

test("before it is loaded, everything says so", async () => {
  assert.throws(() => createGate({ state: memoryState(), defaultTier: "allow" }), { code: "not_loaded" });
  assert.throws(() => createPolicy({ version: 1 }), { code: "not_loaded" });
});

test("a trap fails that call closed and leaves the next one working", async () => {
  assert.ok(path, "ACKGATE_TEST_TRAP_WASM names a build with the feature `trap`");
  const bytes = readFileSync(path);
  assert.ok(exportsOf(bytes).includes("trap_marker"));
  await init(bytes);
  const errors: string[] = [];
  const events: string[] = [];
  const gate = createGate({
    state: memoryState(),
    tools: { read_note: () => "text", provoke_a_trap: () => assert.fail("it ran") },
    defaultTier: "allow",
    logger: { warn() {}, error: (message) => errors.push(message) },
    onPermission: ({ basis, allowed }) => events.push(`${basis} ${allowed}`),
  });
  assert.equal((await gate.execute(call("read_note"))).denied, false);
  // More often than a leaking instance would survive.
  for (let round = 0; round < 300; round++) {
    const refused = await gate.execute(call("provoke_a_trap"));
    assert.ok(refused.denied);
    assert.match(refused.denial.reason, /permission check failed/);
    assert.equal((await gate.execute(call("read_note"))).content, '"text"');
  }
  assert.equal(errors.length, 300);
  assert.deepEqual(events.slice(0, 3), ["tier true", "engine-failed false", "tier true"]);
});

test("calls under way when another one traps go on", async () => {
  let release = (_: "allow"): void => {};
  const waiting = new Promise<"allow">((resolve) => {
    release = resolve;
  });
  const gate = createGate({
    state: memoryState(),
    tools: { slow: () => "done", provoke_a_trap: () => assert.fail("it ran") },
    defaultTier: "confirm",
    sources: { review: async () => waiting },
    logger: { warn() {}, error() {} },
  });
  const slow = gate.execute(call("slow"));
  await gate.execute(call("provoke_a_trap"));
  release("allow");
  assert.equal((await slow).content, '"done"');
});

test("a question that waits in another session when one traps is answered, and its run goes on", async () => {
  const state = memoryState();
  const gate = createGate({
    state,
    user: "u1",
    tools: { slow: () => "done", provoke_a_trap: () => assert.fail("it ran") },
    defaultTier: "confirm",
    logger: { warn() {}, error() {} },
  });
  const asked = gate.execute({ ...call("slow"), sessionId: "s2" });
  while ((await gate.pending("s2")).length === 0) await new Promise((resolve) => setImmediate(resolve));
  const refused = await gate.execute(call("provoke_a_trap"));
  assert.ok(refused.denied);
  assert.deepEqual(await gate.pending("s1"), []);
  const answer = { sessionId: "s2", confirmationId: "c1", approved: true } as const;
  assert.deepEqual(await gate.decide(answer), { path: "live", status: "approved" });
  assert.equal((await asked).content, '"done"');
});

test("a policy outlives the instance it was compiled in", async () => {
  const policy = createPolicy({ version: 1, deny: ["bash(rm:*)"], allow: ["bash(ls:*)"] }, { cwd: "/a" });
  const other = createPolicy({ version: 1, allow: ["bash(rm:*)"] });
  let release = (_: "abstain"): void => {};
  const waiting = new Promise<"abstain">((resolve) => {
    release = resolve;
  });
  const gate = createGate({
    state: memoryState(),
    tools: { bash: () => "done", provoke_a_trap: () => "never" },
    policy,
    sources: { review: ({ toolCallId }) => (toolCallId === "held" ? waiting : "abstain") },
    logger: { warn() {}, error() {} },
  });
  const bash = (command: string, toolCallId: string) =>
    gate.execute({ sessionId: "s1", toolCallId, toolName: "bash", arguments: JSON.stringify({ command }) });
  const held = bash("ls", "held");
  // In each new instance the numbers are given anew, in another order.
  for (let round = 0; round < 50; round++) {
    for (const each of round % 2 === 0 ? [policy, other] : [other, policy]) {
      assert.throws(
        () => policy.check("bash", "provoke_a_trap"),
        (error) => AckError.is(error) && error.code === "internal",
      );
      assert.equal(each.check("bash", "rm x").behavior, each === policy ? "deny" : "allow");
    }
    assert.equal(policy.check("bash", "ls", { cwd: "/b" }).behavior, "allow");
    assert.equal((await bash("rm x", `c${round}`)).denied, true);
  }
  await gate.execute(call("provoke_a_trap"));
  release("abstain");
  assert.equal((await held).content, '"done"');
});

test("numbers are given back to their own instance only", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept = createPolicy({ version: 1, deny: ["kept"] });
  for (let round = 0; round < 5; round++) {
    for (let made = 0; made < 200; made++) createPolicy({ version: 1, deny: [`t${made}`] });
    assert.throws(() => kept.check("bash", "provoke_a_trap"));
    assert.equal(kept.check("kept", {}).behavior, "deny");
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(kept.check("kept", {}).behavior, "deny");
  }
});
