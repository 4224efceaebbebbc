// Reports about the ends of a question, and about who may ask and remember what.
import assert from "node:assert/strict";
import { type AckError, createGate, memoryState } from "ackgate";
import { decide, play, type Step, type StepOf } from "./cases-steps.ts";
import { answers, card, type Own, outcome, type Play, refusal, statusesOf } from "./cases-wants.ts";
import type { World } from "./cases-world.ts";

const ran = ({ executed }: World) => executed.map(({ id }) => id);
const ends =
  (step: Step, status: string): Play =>
  async (world, [call]) => {
    await play(world, [call as Step, step]);
    assert.equal((await world.record("c1")).status, status);
  };

export const ENDS: Readonly<Record<string, Own>> = {
  "A2-011": {
    plays: {
      "as it stands": play,
      "after a restart": (world, [call, saved, yes]) => play(world, [call, saved, { op: "restart" }, yes] as Step[]),
    },
    wants: {
      async record(world) {
        const { stage, execution, delivered, ...kept } = await world.record("c1");
        assert.deepEqual([stage, execution, kept["x-host"]], ["settled", "ran", "keep me"]);
        assert.equal(delivered, world.restarts > 0);
      },
    },
  },
  "A2-043": {
    options: { policy: { version: 1, tools: { run: { subjects: { cmd: "command" } } } } },
    plays: {
      "and the same call again": async (world, steps) => {
        await play(world, steps);
        const { tool, args } = steps[0] as StepOf<"toolCall">;
        await play(world, [{ op: "toolCall", id: "c5", tool, args }]);
        assert.deepEqual(ran(world), ["c1", "c5"]);
      },
    },
    wants: Object.fromEntries(["c2", "c3", "c4"].map((id) => [id, (world: World) => card(world, id)])),
  },
  "A2-044": {
    wants: {
      async c2(world) {
        assert.deepEqual([ran(world), (await outcome(world, "c2")).denied], [["c1", "c2"], false]);
        assert.deepEqual(
          world.events.map(({ call, basis, allowed }) => [call.toolCallId, basis, allowed]),
          [["c2", "grant", true]],
        );
      },
      c3: (world) => card(world, "c3"),
    },
  },
  "A2-046": {
    wants: {
      async error(world, wanted: string) {
        // As for a confirmation that is not there.
        await decide(world, { id: "c2", approved: true });
        assert.deepEqual(answers(world), [wanted, wanted]);
      },
      async "pendingFor u2"(world, wanted: readonly object[]) {
        assert.deepEqual(world.listed, wanted);
        world.user = "u1";
        await card(world, "c1");
      },
    },
  },
  "A2-047": {
    wants: {
      or() {
        const options = { state: memoryState(), tools: { delete_note: () => 1 }, defaultTier: "confirm" } as const;
        assert.throws(
          () => createGate({ ...options, app: "biz", runnerApp: "default" } as typeof options),
          ({ code, message }: AckError) => code === "bad_options" && message.includes("runnerApp"),
        );
      },
    },
  },
  "A2-049": {
    wants: {
      async pending(world, wanted: readonly string[]) {
        for (const id of wanted) assert.equal((await card(world, id)).status, "pending");
        assert.match(await refusal(world, "c1"), /declined/);
        assert.deepEqual(
          [...statusesOf(world)],
          [
            ["c1", ["pending", "denied"]],
            ["c2", ["pending", "approved"]],
            ["c3", ["pending"]],
          ],
        );
        assert.deepEqual(world.events, []);
      },
    },
  },
  "A2-050": {
    wants: {
      basis(world) {
        assert.deepEqual(
          world.audit.map(({ basis, decidedBy }) => [basis, decidedBy]),
          [["expired", undefined]],
        );
        assert.deepEqual(
          world.events.map(({ basis }) => basis),
          ["expired"],
        );
      },
      toolResults: async (world) => assert.match(await refusal(world, "c1"), /in time/),
    },
  },
  "A2-052": {
    plays: {
      "nobody answers": ends({ op: "wait", ms: 150 }, "expired"),
      "the run is canceled": ends({ op: "cancelRun" }, "canceled"),
      "the session is closed": ends({ op: "closeSession" }, "canceled"),
    },
    wants: {
      async events(world) {
        const { status } = await world.record("c1");
        assert.deepEqual([...statusesOf(world)], [["c1", ["pending", status]]]);
      },
    },
  },
  "A2-053": {
    wants: { record: async (world, wanted: string) => assert.equal((await world.record("c1")).status, wanted) },
  },
  "A2-056": {
    wants: {
      c2: async (world) => assert.equal((await card(world, "c2")).refusedBefore, 1),
      c4: async (world) => assert.equal((await card(world, "c4")).refusedBefore, undefined),
      denyText: async (world) => assert.match(await refusal(world, "c1"), /Do not retry/),
    },
  },
  "A2-068": { wants: { "auditRecordsFor c1": (world, wanted: number) => assert.equal(world.audit.length, wanted) } },
};
