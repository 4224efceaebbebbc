// Reports about arguments: what is refused before anyone is asked, what runs, what an edit may change.
import assert from "node:assert/strict";
import { validator } from "ackgate/schema";
import { codeOf } from "./cases-instance.ts";
import { decide, pending, play, type StepOf } from "./cases-steps.ts";
import { answers, card, executedArgs, type Own, outcome, refusal, YES } from "./cases-wants.ts";
import type { World } from "./cases-world.ts";

/** The one refusal that asks for another try. */
const RETRY = /(?=.*arguments)(?=.*(corrected|again))/i;

async function assertInvalid(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) assert.match(await refusal(world, id), RETRY);
  assert.deepEqual(
    world.events.map(({ basis, allowed, call }) => [call.toolCallId, basis, allowed]),
    ids.map((id) => [id, "invalid-arguments", false]),
  );
}

export const ARGUMENTS: Readonly<Record<string, Own>> = {
  "A2-010": {
    options: {
      policy: {
        version: 1,
        tools: {
          delete_note: { inputSchema: { type: "object", required: ["id"], properties: { id: { type: "string" } } } },
        },
      },
      validate: validator(),
    },
    wants: {
      toolResults: (world) => assertInvalid(world, ["c1"]),
      async runAlive(world) {
        await world.call("c2", "delete_note", { id: "n2" });
        await decide(world, { ...YES, id: "c2" });
        assert.equal((await outcome(world, "c2")).denied, false);
      },
    },
  },
  "A2-038": {
    wants: {
      async c2(world) {
        assert.deepEqual(answers(world), ["bad_request", "bad_request"]);
        const open = await pending(world);
        assert.deepEqual(
          open.map(({ toolCallId, toolName, status }) => [toolCallId, toolName, status]),
          ["c1", "c2"].map((id) => [id, "delete_note", "pending"]),
        );
        // The other tool's arguments alone do not change the tool either.
        await decide(world, { ...YES, id: "c2", edited: { args: { to: "a@x.test" } } });
        assert.deepEqual(
          world.executed.map(({ id, tool, args }) => [id, tool, args]),
          [["c2", "delete_note", { to: "a@x.test" }]],
        );
      },
    },
  },
  "A2-040": {
    options: { tier: ({ input }: { input: { to?: string } }) => (input.to === "bad@x.test" ? "deny" : undefined) },
    plays: {
      "as it stands": play,
      "behind an edit that is denied, and one of a refusal": async (world, [call, yes]) => {
        await play(world, [call as StepOf<"toolCall">]);
        await decide(world, { ...YES, edited: { args: { to: "bad@x.test" } } });
        await decide(world, { ...YES, approved: false, edited: { args: { to: "b@x.test" } } });
        assert.deepEqual([answers(world), world.executed], [["forbidden", "bad_request"], []]);
        await play(world, [yes as StepOf<"decide">]);
      },
    },
    wants: { executedArgs: (world, wanted: { c1: object }) => assert.deepEqual(executedArgs(world), [wanted.c1]) },
  },
  "A2-058": {
    wants: {
      async cards(world) {
        const open = await pending(world);
        assert.deepEqual(
          open.map(({ toolCallId, arguments: input }) => [toolCallId, input]),
          [["c2", {}]],
        );
      },
      toolResults: (world) => assertInvalid(world, ["c1", "c3"]),
    },
  },
  "A2-059": {
    plays: {
      "in a call": play,
      "in an edit, after a restart": async (world, [raw]) => {
        await world.call("c1", "delete_note", { id: "n2" });
        await world.restart();
        for (const args of textsOf(raw)) await decide(world, { ...YES, edited: { args } });
        assert.deepEqual(answers(world), Array(5).fill("bad_request"));
        await card(world, "c1");
      },
      "in a stored record, after a restart": async (world, [raw]) => {
        for (const [index, text] of textsOf(raw).entries()) {
          await world.call(`c${index}`, "delete_note", { id: `n${index}` });
          await world.rewrite(`c${index}`, { arguments: text });
        }
        await world.restart();
        for (let index = 0; index < 5; index++) await decide(world, { ...YES, id: `c${index}` });
        // Judged again before it runs, it is refused.
        for (const answer of world.decided) assert.deepEqual(answer, { path: "recovery", status: "denied" });
      },
    },
    wants: {
      crash() {},
      async toolResults(world) {
        if (world.restarts === 0) await assertInvalid(world, ["c0", "c1", "c2", "c3", "c4"]);
      },
    },
  },
  "A2-061": {
    wants: {
      state: async (world) => assert.deepEqual(await pending(world), []),
      async history(world) {
        await assertInvalid(world, ["c1"]);
        const { content } = await outcome(world, "c1");
        assert.ok(!/\p{Surrogate}/u.test(content) && !/\\ud/i.test(content), content);
      },
      verdict: (world) => assert.deepEqual(answers(world), ["not_found"]),
    },
  },
  "A2-062": {
    plays: {
      "as it stands": play,
      "and an answer that is complete but for the prototype": async (world, steps) => {
        await play(world, steps);
        const values = ['{"threadId":"s1","confirmationId":"c1","__proto__":{"approved":true}}'];
        await play(world, [{ op: "rawDecide", values }]);
        const input = (await card(world, "c1")).arguments ?? {};
        assert.deepEqual(Object.keys(input), ["id", "__proto__"]);
      },
    },
    wants: {
      ObjectPrototypePolluted(world) {
        assert.equal(({} as { approved?: boolean }).approved, undefined);
        assert.ok(answers(world).every((each) => each === "bad_request"));
      },
    },
  },
  "A2-064": {
    plays: {
      "an object changed behind the call": async (world) => {
        const live = { to: "a@x.test" };
        const calling = world.call("c1", "pay", live);
        live.to = "b@x.test";
        await calling;
        live.to = "c@x.test";
        await decide(world, YES);
      },
      "a getter that gives another value each time": async (world) => {
        let read = 0;
        const live = {
          get to() {
            return read++ === 0 ? "a@x.test" : "b@x.test";
          },
        };
        await world.call("c1", "pay", live);
        await decide(world, YES);
      },
      "a toJSON, which is refused": async (world) => {
        await world.call("c0", "pay", { to: "a@x.test", toJSON: () => ({ to: "b@x.test" }) });
        await assertInvalid(world, ["c0"]);
        await world.call("c1", "pay", { to: "a@x.test" });
        await decide(world, YES);
      },
      "a guarded function": async (world) => {
        const live = { to: "a@x.test" };
        const pay = world.gate.tools.pay as unknown as (args: object, call: object) => Promise<string>;
        const call = { toolCallId: "c1", sessionId: "s1", ...world.callOptions };
        const calling = world.track("c1", pay(live, call).catch(codeOf));
        live.to = "b@x.test";
        await calling;
        await decide(world, YES);
      },
    },
    wants: {
      executedArgs(world) {
        assert.deepEqual(executedArgs(world), [{ to: "a@x.test" }]);
        assert.deepEqual(world.shown[0]?.arguments, { to: "a@x.test" });
      },
    },
  },
};

function textsOf(step: unknown): readonly string[] {
  return (step as StepOf<"toolCallRaw">).rawArgs as readonly string[];
}
