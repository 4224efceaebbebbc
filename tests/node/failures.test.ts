// What a host's code does wrong never lets a call run: it leads to a person or to a refusal, and is logged by name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, createGate, type Evaluation, type GateOptions, memoryState } from "ackgate";

const CALL = { sessionId: "s1", toolCallId: "c1", toolName: "delete_note", arguments: '{"id":"n2"}' };

function gateWith(options: object) {
  const logged: string[] = [];
  const note = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const gate = createGate({
    state: memoryState(),
    defaultTier: "confirm",
    logger: { warn: note, error: note },
    ...options,
  } as GateOptions);
  return { gate, logged };
}

async function asks(options: object, forced: boolean): Promise<{ seen: Evaluation; logged: string[] }> {
  const { gate, logged } = gateWith(options);
  const seen = await gate.evaluate(CALL);
  assert.equal(seen.disposition, "confirm");
  assert.equal(seen.disposition === "confirm" && seen.forced, forced);
  return { seen, logged };
}

const cyclic: { verdict?: unknown } = {};
cyclic.verdict = cyclic;
const BAD_ANSWERS: Record<string, () => unknown> = {
  throws: (): never => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  "rejects with nothing": () => Promise.reject(undefined),
  "answers nothing": () => undefined,
  "answers null": () => null,
  "answers true": () => true,
  "answers a number": () => 1n,
  "answers a symbol": () => Symbol("allow"),
  "answers a function": () => () => "allow",
  "answers another word": () => "ALLOW",
  "answers an object without a verdict": () => ({ allow: true }),
  "answers an object with another word": async () => ({ verdict: "yes" }),
  "answers a cyclic object": () => cyclic,
  "answers a list": () => ["allow"],
  "has a throwing getter": () => ({
    get verdict(): never {
      throw new Error("broken");
    },
  }),
};

for (const [name, consult] of Object.entries(BAD_ANSWERS)) {
  test(`a source that ${name} leads to a person, also where the tier allows`, async () => {
    for (const defaultTier of ["allow", "confirm"]) {
      const { logged } = await asks({ defaultTier, sources: { risk: consult, other: async () => "allow" } }, true);
      assert.equal(logged.length, 1);
      assert.match(logged[0] ?? "", /source risk/);
    }
  });
}

for (const [name, tier] of Object.entries(BAD_ANSWERS)) {
  if (name === "answers nothing") continue;
  test(`a tier function that ${name} leads to a person`, async () => {
    const { logged } = await asks({ defaultTier: "allow", tiers: { delete_note: "allow" }, tier }, false);
    assert.match(logged[0] ?? "", /`tier` failed/);
  });
}

test("a source that hangs leads to a person after sourceTimeoutMs", async () => {
  const { logged } = await asks(
    { defaultTier: "allow", sourceTimeoutMs: 10, sources: { risk: () => new Promise(() => {}) } },
    true,
  );
  assert.match(logged[0] ?? "", /source risk.*no answer within 10 ms/);
});

for (const [name, lookup] of Object.entries({
  throws: (): never => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")),
  hangs: () => new Promise(() => {}),
  "answers nonsense": (): unknown => "allow",
  "answers a grant of another form": () => [{ id: 1 }],
})) {
  test(`a grant look-up that ${name} is a miss`, async () => {
    const { logged } = await asks({ sourceTimeoutMs: 10, grants: { lookup, save() {} } }, false);
    assert.match(logged[0] ?? "", /`grants` failed/);
  });
}

test("a grant that can't be saved costs the memory, not the call", async () => {
  const { gate, logged } = gateWith({
    user: "u1",
    tools: { delete_note: () => "done" },
    grants: { lookup: () => undefined, save: () => Promise.reject(new Error("read only")) },
  });
  const call = gate.execute(CALL);
  while ((await gate.pending("s1")).length === 0) await new Promise((resolve) => setImmediate(resolve));
  await gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true, remember: "session" });
  assert.equal((await call).denied, false);
  assert.match(logged[0] ?? "", /could not be saved/);
});

test("an observer that throws changes nothing", async () => {
  const { gate, logged } = gateWith({
    tools: { delete_note: () => "done" },
    defaultTier: "allow",
    onPermission: () => {
      throw new Error("broken");
    },
  });
  assert.equal((await gate.execute(CALL)).denied, false);
  assert.match(logged[0] ?? "", /onPermission/);
});

test("an event that can't be emitted changes nothing", async () => {
  const { gate, logged } = gateWith({ tools: { delete_note: () => "done" } });
  const call = gate.execute(CALL, { emit: () => Promise.reject(new Error("gone")) });
  while ((await gate.pending("s1")).length === 0) await new Promise((resolve) => setImmediate(resolve));
  await gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true });
  assert.equal((await call).denied, false);
  assert.match(logged[0] ?? "", /could not be emitted/);
});

for (const [name, text] of Object.entries({
  throws: (): never => {
    throw new Error("broken");
  },
  "gives nothing": (): unknown => undefined,
})) {
  test(`a custom text that ${name} falls back to the default`, async () => {
    const { gate, logged } = gateWith({ defaultTier: "deny", texts: { tierDisabled: text } });
    const seen = await gate.evaluate(CALL);
    assert.match(seen.disposition === "deny" ? seen.reason : "", /`delete_note` is not permitted here. Do not retry/);
    assert.match(logged[0] ?? "", /tierDisabled/);
  });
}

test("a custom text is what the model reads", async () => {
  const { gate } = gateWith({
    defaultTier: "deny",
    texts: { tierDisabled: (name: string) => `${name}: no. Do not retry.` },
  });
  const seen = await gate.evaluate(CALL);
  assert.equal(seen.disposition === "deny" && seen.reason, "delete_note: no. Do not retry.");
});

const BAD_OPTIONS: Record<string, [options: object, text: RegExp]> = {
  "an unknown option": [{ defaultTeir: "deny" }, /`defaultTeir`.*`defaultTier`/],
  "an unknown tier": [{ tiers: { delete_note: "confrim" } }, /`tiers.delete_note` is `confrim`.*`confirm`/],
  "an unknown default tier": [{ defaultTier: "Deny" }, /`defaultTier`.*`deny`/],
  "a tier for a tool that isn't there": [
    { tools: { delete_note: () => 1 }, tiers: { delete_notes: "confirm" } },
    /`delete_notes`.*`delete_note`/,
  ],
  "a tool without tier and default": [
    { tools: { delete_note: () => 1 }, defaultTier: undefined },
    /`delete_note` has no tier, and neither/,
  ],
  "no tools and no default": [{ defaultTier: undefined }, /`defaultTier`/],
  "tools as a function and no default": [{ tools: () => ({}), defaultTier: undefined }, /`defaultTier`/],
  "no state": [{ state: undefined }, /`state`/],
  "a tool that is no function": [{ tools: { delete_note: "rm" } }, /`delete_note`/],
  "an unknown trait of a tool": [{ tools: { delete_note: { run: () => 1, idempotant: true } } }, /`idempotent`/],
  "a source that is no function": [{ sources: { risk: "allow" } }, /`risk`/],
  "an unknown word for duplicate": [{ duplicate: "jion" }, /`join`/],
  "a negative lease": [{ leaseMs: -1 }, /`leaseMs`/],
  "an unknown limit": [{ limits: { args: 1 } }, /`limits`/],
  "an unknown text": [{ texts: { denied: () => "" } }, /`texts`/],
};
for (const [name, [options, text]] of Object.entries(BAD_OPTIONS)) {
  test(`createGate refuses ${name}`, () => {
    assert.throws(
      () => gateWith(options),
      (error) => AckError.is(error) && error.code === "bad_options" && text.test(error.message),
    );
  });
}

test("a guarded tool without tier and default is refused", () => {
  const gate = createGate({ state: memoryState(), tools: { read_note: () => 1 }, tiers: { read_note: "allow" } });
  assert.throws(
    () => gate.guard("delete_note", () => 1),
    (error) => AckError.is(error) && error.code === "bad_options",
  );
});

test("a guarded function may not give a stream", async () => {
  const gate = createGate({ state: memoryState(), defaultTier: "allow", logger: { warn() {}, error() {} } });
  const guarded = gate.guard("stream", async function* () {
    yield 1;
  });
  await assert.rejects(guarded({}, { toolCallId: "c1", sessionId: "s1" }), /async iterable/);
});

test("arguments that JSON does not carry are refused, not repaired", async () => {
  const ran: unknown[] = [];
  const gate = createGate({
    state: memoryState(),
    tools: { save: (args: object) => ran.push(args) },
    defaultTier: "allow",
  });
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  const bad: unknown[] = [
    { a: undefined },
    { a: () => 1 },
    { a: 1n },
    { a: Symbol("x") },
    { a: Number.NaN },
    { a: new Date() },
    { a: new Map() },
    loop,
    [1],
    null,
    "text",
  ];
  for (const args of bad) {
    const result = await gate.tools.save(args as object, { toolCallId: "c1", sessionId: "s1" });
    assert.match((result as { reason: string }).reason, /did not run/);
  }
  assert.deepEqual(ran, []);
  await gate.tools.save(Object.assign(Object.create(null), { a: [1, { b: null }] }), {
    toolCallId: "c1",
    sessionId: "s1",
  });
  assert.deepEqual(ran, [{ a: [1, { b: null }] }]);
});

test("a name from the language is no tool", async () => {
  const gate = createGate({ state: memoryState(), tools: { read_note: () => 1 }, tiers: { read_note: "allow" } });
  for (const toolName of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    const result = await gate.execute({ ...CALL, toolName });
    assert.equal(result.denied, true);
  }
});

test("a call outside any session is refused with the way out", async () => {
  const { gate } = gateWith({ tools: { delete_note: () => 1 } });
  const { sessionId: _, ...call } = CALL;
  await assert.rejects(
    gate.execute(call),
    (error) => AckError.is(error) && error.code === "no_session" && /gate\.run/.test(error.message),
  );
});

test("a failing `tools` function knows no tool", async () => {
  const { gate, logged } = gateWith({ tools: () => Promise.reject(new Error("offline")), defaultTier: "allow" });
  assert.equal((await gate.execute(CALL)).denied, true);
  assert.match(logged[0] ?? "", /`tools` failed/);
});

test("callbacks may call the gate", async () => {
  const { gate } = gateWith({
    defaultTier: "allow",
    sources: {
      inner: async (call: { toolName: string }) =>
        call.toolName === "outer" ? (await gate.evaluate(CALL)).disposition : "abstain",
    },
  });
  assert.equal((await gate.evaluate({ ...CALL, toolName: "outer" })).disposition, "allow");
});
