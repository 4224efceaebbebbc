// A tool's schemas: what does not fit is refused before anything else is asked, in calls and in edits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AckError, createGate, type Gate, type GateOptions, memoryState, tool } from "ackgate";
import { validator } from "ackgate/schema";
import { z } from "zod";

const call = (args: string) => ({ sessionId: "s1", toolCallId: "c1", toolName: "move", arguments: args });
const YES = { sessionId: "s1", confirmationId: "c1", approved: true } as const;
const MOVE = z.object({ from: z.string(), to: z.string().default("archive"), at: z.coerce.number().max(9) });
const POLICY = {
  version: 1,
  tools: {
    move: {
      inputSchema: {
        type: "object",
        required: ["from", "at"],
        properties: { from: { type: "string" }, at: { type: "number", maximum: 9 } },
      },
    },
  },
} as const;

function bench(options: object) {
  const ran: object[] = [];
  const consulted: string[] = [];
  const gate = createGate({
    state: memoryState(),
    user: "u1",
    defaultTier: "confirm",
    sources: { seen: ({ toolName }: { toolName: string }) => consulted.push(toolName) && "abstain" },
    logger: { warn() {}, error() {} },
    ...options,
  } as GateOptions) as unknown as Gate;
  return { gate, ran, consulted };
}
const standard = (options: object = {}) => {
  const ran: object[] = [];
  const world = bench({ tools: { move: tool({ input: MOVE, run: (args) => ran.push(args) }) }, ...options });
  return { ...world, ran };
};
const jsonSchema = () => {
  const ran: object[] = [];
  const tools = { move: (args: object) => ran.push(args) };
  return { ...bench({ tools, policy: POLICY, validate: validator() }), ran };
};
async function asked(gate: Gate): Promise<void> {
  while ((await gate.pending("s1")).length === 0) await new Promise((resolve) => setImmediate(resolve));
}

for (const [kind, make] of [
  ["a Standard Schema", standard],
  ["a JSON Schema", jsonSchema],
] as const) {
  test(`${kind}: arguments that do not fit are refused, nobody is asked, the model hears what is wrong`, async () => {
    for (const [args, hint] of [
      ['{"at":1}', /from/],
      ['{"from":7,"at":1}', /from/],
      ['{"from":"a","at":10}', /at/],
      ["{}", /from/],
    ] as const) {
      const { gate, ran, consulted } = make();
      const refused = await gate.execute(call(args));
      assert.ok(refused.denied);
      assert.match(refused.denial.reason, hint);
      assert.deepEqual([ran, consulted, await gate.pending("s1")], [[], [], []]);
    }
  });

  test(`${kind}: an edit that does not fit is refused, nothing is consumed, the card stays`, async () => {
    const { gate, ran } = make();
    const running = gate.execute(call('{"from":"a","at":1}'));
    await asked(gate);
    for (const editedArguments of [{ from: "a", at: 10 }, { at: 1 }, {}]) {
      const refused = (error: unknown) => AckError.is(error) && error.code === "bad_request";
      await assert.rejects(gate.decide({ ...YES, editedArguments }), refused);
    }
    assert.equal((await gate.pending("s1"))[0]?.status, "pending");
    await gate.decide({ ...YES, editedArguments: { from: "b", at: 2 } });
    assert.equal((await running).denied, false);
    assert.equal((ran[0] as { from: string }).from, "b");
  });
}

test("a tool gets what its schema makes of the arguments, live and after a recovery", async () => {
  const made = { from: "a", to: "archive", at: 3 };
  const live = standard({ defaultTier: "allow" });
  await live.gate.execute(call('{"from":"a","at":"3"}'));
  assert.deepEqual(live.ran, [made]);
  const state = memoryState();
  const first = standard({ state });
  await first.gate.request(call('{"from":"a","at":"3"}'));
  const second = standard({ state });
  await second.gate.decide(YES);
  await second.gate.execute(call('{"from":"a","at":"3"}'));
  assert.deepEqual(second.ran, [made]);
});

test("a schema that throws, gives nothing or rejects lets nothing run", async () => {
  for (const validate of [
    () => {
      throw new Error("down");
    },
    () => undefined,
    () => Promise.reject(new Error("down")),
  ]) {
    const input = { "~standard": { version: 1, vendor: "test", validate } };
    const { gate } = bench({ defaultTier: "allow", tools: { move: { input, run: () => assert.fail("it ran") } } });
    const refused = await gate.execute(call("{}"));
    assert.ok(refused.denied);
    assert.match(refused.denial.reason, /could not be checked/);
  }
});

test("a JSON Schema that can't be used lets nothing run", async () => {
  const validate = () => {
    throw new Error("unknown keyword");
  };
  const { gate } = bench({
    defaultTier: "allow",
    tools: { move: () => assert.fail("it ran") },
    policy: POLICY,
    validate,
  });
  assert.ok((await gate.execute(call('{"from":"a","at":1}'))).denied);
});

test("what is no schema, and an inputSchema nobody checks, are refused when the gate is made", () => {
  const refused = (text: RegExp) => (error: unknown) =>
    AckError.is(error) && error.code === "bad_options" && text.test(error.message);
  assert.throws(() => bench({ tools: { move: { input: { parse() {} }, run() {} } } }), refused(/`input`.*`move`/));
  assert.throws(() => bench({ tools: { move() {} }, policy: POLICY }), refused(/`inputSchema`.*`move`.*`validate`/));
});
