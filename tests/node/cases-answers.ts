// Reports about answers: which call they reach, how often it runs, and who carries it out when a process is gone.
import assert from "node:assert/strict";
import type { DecideResult } from "ackgate";
import { until } from "./agui-fakes.ts";
import { decide, pending, play, type Step, type StepOf } from "./cases-steps.ts";
import { answers, card, executedArgs, type Own, outcome, type Play, refusal, resumedWith, YES } from "./cases-wants.ts";

/** Every order of the decisions behind the other steps. */
function orders(count: number): Record<string, Play> {
  const all = (left: readonly number[]): number[][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((each) => all(left.filter((other) => other !== each)).map((rest) => [each, ...rest]));
  const inOrder =
    (order: readonly number[]): Play =>
    async (world, steps) => {
      const decisions = steps.filter(({ op }) => op === "decide");
      const others = steps.filter(({ op }) => op !== "decide");
      assert.equal(decisions.length, count);
      await play(world, [...others, ...order.map((index) => decisions[index] as Step)]);
      for (const { id, approved } of decisions as StepOf<"decide">[])
        assert.equal((await outcome(world, id)).denied, !approved);
    };
  return Object.fromEntries(all([...Array(count).keys()]).map((order) => [`answers ${order}`, inOrder(order)]));
}

const only =
  (ways: (call: Step, rest: readonly Step[]) => readonly Step[]): Play =>
  (world, [call, ...rest]) =>
    play(world, ways(call as Step, rest));

export const ANSWERS: Readonly<Record<string, Own>> = {
  "A2-002": {
    wants: {
      async toolResults(world) {
        assert.deepEqual(await outcome(world, "c1"), {
          denied: false,
          content: '"delete_note was run"',
          result: "delete_note was run",
        });
      },
    },
  },
  "A2-004": {
    wants: {
      "decide#2": (world) => assert.deepEqual(answers(world), ["run_active", "replayed"]),
      history(world) {
        const result = ["c1", '"delete_note was run"'];
        assert.deepEqual(resumedWith(world), [[result], [result]]);
        assert.equal(world.resumed[0]?.runId, world.resumed[1]?.runId);
      },
    },
  },
  "A2-013": {
    wants: {
      async toolResults(world, _wanted) {
        assert.match(await refusal(world, "c1"), /declined.*tell me first what you want to do/s);
      },
    },
  },
  "A2-017": { plays: orders(3) },
  "A2-020": {
    wants: {
      executions: (world) => assert.deepEqual(executedArgs(world), [{ id: "n1" }]),
      async "second call"(world) {
        const [item, ...more] = await pending(world);
        assert.deepEqual([item?.toolCallId, item?.arguments, more], ["d1", { id: "n-all" }, []]);
        assert.notEqual(item?.confirmationId, "d1");
      },
    },
  },
  "A2-022": {
    wants: {
      pending(world) {
        const open = world.listed?.map(({ toolCallId, parents }) => [toolCallId, parents]);
        assert.deepEqual(open, [["c9", ["agentA", "tool:agentB"]]]);
      },
      executedBy: (world) => assert.deepEqual(world.executed[0]?.parents, ["agentA", "tool:agentB"]),
    },
  },
  "A2-023": { wants: { results: (world) => assert.deepEqual(answers(world).sort(), ["live", "replayed"]) } },
  "A2-025": {
    plays: {
      "the run waits": play,
      "the run is gone": only((call, rest) => [call, { op: "restart" }, ...rest]),
    },
    wants: {
      async toolResults(world) {
        assert.deepEqual(answers(world).sort(), [world.restarts ? "recovery" : "live", "replayed"].sort());
        if (world.restarts) assert.deepEqual(resumedWith(world).flat().length, 1);
        else assert.match(await refusal(world, "c1"), /declined/);
      },
      resumeRuns: (world) => assert.equal(world.resumed.length, world.restarts),
    },
  },
  "A2-026": {
    plays: {
      "the one who waits dies before the answer": async (world, [call]) => {
        await play(world, [call as Step]);
        await world.kill();
        await decide(world, YES);
        assert.deepEqual(answers(world), ["recovery"]);
      },
      "the one who waits dies after its claim": async (world, [call]) => {
        await play(world, [call as Step]);
        world.hold();
        void decide(world, YES);
        await until(() => world.executed.length > 0);
        await world.kill();
        await decide(world, YES);
        assert.deepEqual(
          world.audit.map(({ execution }) => execution),
          ["unknown"],
        );
        assert.match(`${resumedWith(world)}`, /unknown|not known/);
      },
      "a second process decides": async (world, [call]) => {
        await play(world, [call as Step]);
        await decide(world, YES, world.beside);
        assert.deepEqual(answers(world), ["live"]);
      },
    },
  },
  "A2-034": {
    plays: {
      execute: play,
      "gate.tools": async (world, [call, no]) => {
        const { id, tool } = call as StepOf<"toolCall">;
        const guarded = world.gate.tools[tool] as unknown as (args: object, call: object) => Promise<object>;
        const options = { toolCallId: id, sessionId: "s1", ...world.callOptions };
        await world.track(
          id,
          guarded({}, options).then((denial) => ({ denied: true, content: "", denial }) as never),
        );
        await play(world, [no as Step]);
        assert.equal((await outcome(world, id)).denied, true);
      },
      guard: async (world, [call, no]) => {
        const { id } = call as StepOf<"toolCall">;
        const guarded = world.gate.guard("custom_tool", () => world.executed.push({} as never));
        const denied = guarded({}, { toolCallId: id, sessionId: "s1", ...world.callOptions });
        await world.track(
          id,
          denied.then((denial) => ({ denied: true, content: "", denial }) as never),
        );
        await play(world, [no as Step]);
      },
    },
    wants: { hostExecuteCallbackCalls: (world, wanted: number) => assert.equal(world.executed.length, wanted) },
  },
  "A2-037": { wants: { "decide#2": (world) => assert.deepEqual(answers(world).sort(), ["live", "replayed"]) } },
  "A2-055": {
    plays: {
      "it can't hear of it any more": async (world, [call]) => {
        await play(world, [call as Step]);
        await world.kill();
        await decide(world, YES);
        assert.deepEqual(answers(world), ["recovery"]);
      },
      "it is not told, and finds it by itself": async (world, [call]) => {
        await play(world, [call as Step]);
        world.deaf = true;
        await decide(world, YES, world.beside);
        assert.deepEqual(answers(world), ["live"]);
        assert.equal((await outcome(world, "c1")).denied, false);
      },
    },
    options: { pollMs: 5 },
    wants: {
      decide: (world) => assert.equal((world.decided[0] as DecideResult).status, "approved"),
      async record(world) {
        const { stage, execution } = await world.record("c1");
        assert.deepEqual([stage, execution, world.executed.length], ["settled", "ran", 1]);
      },
    },
  },
  "A2-067": {
    wants: {
      async decide(world) {
        assert.deepEqual(answers(world), ["run_active"]);
        assert.equal((await card(world, "c1")).status, "pending");
      },
      async executions(world) {
        assert.deepEqual(world.executed, []);
        world.runActive = false;
        await decide(world, YES);
        assert.deepEqual(answers(world), ["run_active", "recovery"]);
        assert.deepEqual(executedArgs(world), [{ id: "n2" }]);
      },
    },
  },
};
