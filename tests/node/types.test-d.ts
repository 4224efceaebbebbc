// What must compile, and what must not. Checked by tsc, never run.
import {
  type AckError,
  type Context,
  createGate,
  type DecideResult,
  type Decision,
  type Denial,
  type Executed,
  isDenial,
  memoryState,
  type Payload,
  type PendingItem,
  tool,
} from "ackgate";

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
