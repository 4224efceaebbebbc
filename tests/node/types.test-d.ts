// What must compile, and what must not. Checked by tsc, never run.
import {
  type AckError,
  type Context,
  createGate,
  createPolicy,
  createSessionAllows,
  type DecideResult,
  type Decision,
  type Denial,
  type Executed,
  type Explanation,
  isDenial,
  type Mode,
  memoryState,
  mergePolicies,
  type Payload,
  type PendingItem,
  type Policy,
  type PolicyDocument,
  type PolicyError,
  parsePolicy,
  type RuleDecision,
  replayPolicy,
  type Suggestion,
  testPolicy,
  tool,
} from "ackgate";
import { fakeApprover, fakeClock, fakeRunner, recorder, type Script, scriptedModel, testGate } from "ackgate/testing";
import imported from "../vectors/policy.json" with { type: "json" };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_T extends true>(): void => {};

const state = memoryState();

// A verdict written in place needs no annotation.
createGate({
  state,
  defaultTier: "confirm",
  sources: { risk: async () => "abstain", cap: () => ({ verdict: "deny" }) },
});
createGate({
  state,
  defaultTier: "confirm",
  sources: { risk: async ({ input }) => (input.id === 1 ? "allow" : "deny") },
});
// @ts-expect-error: no such verdict
createGate({ state, defaultTier: "confirm", sources: { risk: async () => "maybe" } });

const gate = createGate({
  state,
  tools: {
    read_note: ({ id }: { id: string }) => `note ${id}`,
    delete_note: tool({
      idempotent: true,
      run: async (args: { id: string; force?: boolean }) => ({ deleted: args.id }),
    }),
    list_notes: () => ["n1"],
  },
  tiers: { read_note: "allow", delete_note: "confirm" },
  defaultTier: "confirm",
  tier: ({ toolName }) => (toolName === "wipe" ? "deny" : undefined),
});
// @ts-expect-error: a mistyped key of tiers
createGate({ state, tools: { read_note: () => 1 }, tiers: { raed_note: "allow" }, defaultTier: "confirm" });
// @ts-expect-error: no such tier
createGate({ state, tools: { read_note: () => 1 }, tiers: { read_note: "yes" } });
// @ts-expect-error: no such option
createGate({ state, defaultTier: "confirm", defaultTeir: "deny" });
// @ts-expect-error: state is required
createGate({ defaultTier: "confirm" });

// The gated tools keep their types; a denial is always possible.
const read = gate.tools.read_note({ id: "n1" }, { toolCallId: "c1" });
is<Equal<typeof read, Promise<string | Denial>>>();
const deleted = gate.tools.delete_note({ id: "n1" }, { toolCallId: "c1", sessionId: "s1" });
is<Equal<typeof deleted, Promise<{ deleted: string } | Denial>>>();
gate.tools.list_notes({}, { toolCallId: "c1" });
// @ts-expect-error: the tool-call id is not optional
gate.tools.read_note({ id: "n1" }, {});
// @ts-expect-error: arguments are typed
gate.tools.read_note({ id: 7 }, { toolCallId: "c1" });
// @ts-expect-error: no such tool
gate.tools.wipe;

const guarded = gate.guard("send", (args: { to: string }) => args.to.length, { denied: (denial) => denial.reason });
is<Equal<ReturnType<typeof guarded>, Promise<number | string>>>();

// An option that may be undefined is passed on as it is.
declare const options: { abortSignal?: AbortSignal };
const executed = gate.execute(
  { toolCallId: "c1", toolName: "read_note", arguments: "{}" },
  { signal: options.abortSignal },
);
is<Equal<typeof executed, Promise<Executed>>>();

gate.decide({ sessionId: "s1", confirmationId: "c1", approved: true, remember: "session" });
gate.decide({ sessionId: "s1", confirmationId: "c1", approved: false, note: "no" });
// @ts-expect-error: a missing answer is never a denial
gate.decide({ sessionId: "s1", confirmationId: "c1" });
// @ts-expect-error: a denial remembers nothing
gate.decide({ sessionId: "s1", confirmationId: "c1", approved: false, remember: "session" });
is<Equal<ReturnType<typeof gate.decide>, Promise<DecideResult>>>();
is<Equal<ReturnType<typeof gate.pending>, Promise<PendingItem[]>>>();
is<Equal<Parameters<typeof gate.decide>[0], Decision>>();
is<Equal<PendingItem["live"], boolean>>();
is<Equal<Payload["arguments"], { readonly [key: string]: unknown } | undefined>>();
is<Equal<Context["user"], string | undefined>>();

// @ts-expect-error: `identify` is required
gate.handler({});

declare const value: unknown;
if (isDenial(value)) is<Equal<typeof value, Denial>>();
declare const error: AckError;
// @ts-expect-error: no such code
error.code === "oops";

// Policies: a typed literal is checked here, text and imported JSON at run time.
const policy = createPolicy(
  {
    version: 1,
    mode: "default",
    tiers: { read_note: "allow", wipe: "deny" },
    deny: ["bash(rm:*)", { tool: "fetch", content: "domain:*.internal", kind: "url", reason: "internal" }],
    ask: [{ tool: "@files", content: "/etc/*", match: [{ path: "/etc/a" }], notMatch: ["ls"] }],
    families: { files: ["read", "write"] },
    tools: { bash: { shell: true, subjects: { to: "text" } } },
    limits: { commandBytes: 1000 },
  },
  { name: "policy.json", cwd: "/", realPath: (path) => path, preapprove: (name, input) => typeof input && name },
);
// @ts-expect-error: no such tier
createPolicy({ version: 1, tiers: { read_note: "alow" } });
// @ts-expect-error: no such mode
createPolicy({ version: 1, mode: "readonly" });
// @ts-expect-error: no such key
createPolicy({ version: 1, alow: ["bash"] });
// @ts-expect-error: no such kind
createPolicy({ version: 1, deny: [{ tool: "fetch", content: "a", kind: "host" }] });
// @ts-expect-error: no such version
createPolicy({ version: 2 });
// @ts-expect-error: text is for parsePolicy
createPolicy("{}");
// @ts-expect-error: no such option
createPolicy({ version: 1 }, { pwd: "/" });
// @ts-expect-error: a hook answers at once
createPolicy({ version: 1 }, { realPath: async (path: string) => path });
parsePolicy("{}");
// Its words are widened to `string`.
parsePolicy(imported);
parsePolicy({ version: 1, mode: String("yolo") });
// @ts-expect-error: a widened word is no literal
createPolicy({ version: 1, mode: String("yolo") });

declare const toolCall: import("ackgate").ToolCall;
is<Equal<ReturnType<Policy["check"]>, RuleDecision>>();
const decision = policy.check("bash", "ls", { mode: "yolo", sessionAllows: createSessionAllows() });
is<Equal<typeof decision, RuleDecision>>();
policy.check(toolCall, { capability: { readOnly: true } });
const offered = policy.suggest("bash", { command: "ls" }, { recent: [toolCall] });
is<Equal<typeof offered, Suggestion[]>>();
// @ts-expect-error: no such mode
policy.check("bash", "ls", { mode: "readonly" });
// @ts-expect-error: a call carries its arguments itself
policy.check(toolCall, { command: "ls" });
// @ts-expect-error: what is loaded stays
policy.digest = "";

const merged = mergePolicies({ name: "a", document: "{}" }, { name: "b", document: { version: 1 }, trust: "restrict" });
is<Equal<typeof merged, PolicyDocument>>();
// @ts-expect-error: no such trust
mergePolicies({ name: "a", document: "{}", trust: "none" });
testPolicy(policy, [{ tool: "bash", input: "ls", expect: "ask" }]).failed[0]?.got.ruleId;
// @ts-expect-error: a policy says `ask`, a gate `confirm`
testPolicy(policy, [{ tool: "bash", input: "ls", expect: "confirm" }]);
replayPolicy(policy, policy, [toolCall])[0]?.before.reason;
declare const wrong: PolicyError;
is<Equal<typeof wrong.code, AckError["code"]>>();
wrong.diagnostics[0]?.line?.toFixed();

createGate({ state, policy, mode: "read_only" });
createGate({ state, policy: { version: 1, deny: ["bash"] }, mode: ({ toolName }) => (toolName ? "yolo" : "default") });
// @ts-expect-error: no such mode
createGate({ state, policy, mode: "readonly" });
// @ts-expect-error: no such key of the document
createGate({ state, policy: { version: 1, denies: [] } });
gate.setPolicy(policy);
gate.run({ sessionId: "s1", mode: "read_only" satisfies Mode }, () => 1);
is<Equal<ReturnType<typeof gate.explain>, Promise<Explanation>>>();
gate.guard("send", () => 1, { alwaysAsk: true, subjects: { to: "text" } });

// A test gate is the gate of its tools, with the helpers beside.
const tested = testGate({
  tools: { read_note: ({ id }: { id: string }) => `note ${id}` },
  tiers: { read_note: "confirm" },
  sources: { risk: async () => "abstain" },
  answers: { read_note: ["approve", { deny: { note: "no" } }, { approve: { remember: "session" } }] },
});
const readTested = tested.tools.read_note({ id: "n1" }, { toolCallId: "c1" });
is<Equal<typeof readTested, Promise<string | Denial>>>();
is<Equal<ReturnType<typeof tested.clock.advance>, Promise<void>>>();
is<Equal<(typeof tested.approver.asked)[number], Payload>>();
tested.recorded.audit[0]?.execution?.length;
// @ts-expect-error: a mistyped key of tiers
testGate({ tools: { read_note: () => 1 }, tiers: { raed_note: "allow" }, defaultTier: "confirm" });
// @ts-expect-error: no such answer
testGate({ tools: { read_note: () => 1 }, defaultTier: "confirm", answers: { read_note: "allow" } });
// @ts-expect-error: no such option
testGate({ tools: { read_note: () => 1 }, defaultTier: "confirm", answer: {} });
// @ts-expect-error: real time is no fake clock
testGate({ defaultTier: "confirm", clock: { now: Date.now, setTimeout: () => () => {} } });
const script: Script = { read_note: ({ toolCallId }) => (toolCallId ? "approve" : "ignore") };
fakeApprover(gate, script, { as: { user: "ann" } }).assertDone();
// @ts-expect-error: a denial remembers nothing
fakeApprover(gate, { read_note: { deny: { remember: "session" } } });
// @ts-expect-error: not an answer at once
fakeApprover(gate, { read_note: async () => "approve" });
const { onPermission, onAudit } = recorder();
createGate({ state, defaultTier: "deny", clock: fakeClock(), onPermission, onAudit });
gate.resumeWith(fakeRunner(["fails", "run_active", "starts"]));
// @ts-expect-error: no such outcome
fakeRunner("start");
for (const call of scriptedModel([{ calls: [{ toolName: "read_note" }] }])([{ role: "user" }]).calls) {
  tested.execute({ sessionId: "s1", ...call });
}
// @ts-expect-error: a call needs its tool's name
scriptedModel([{ calls: [{ arguments: {} }] }]);
