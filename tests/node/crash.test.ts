// kill -9 at every stage of a confirmation's life, then a new process on the same files. Executions are counted outside.
// Leases are ten minutes long: whoever waits for a dead process's lease does not end in time.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CrashOptions } from "./crash-host.js";
import { type CrashHost, makeTemplate, World } from "./crash-world.js";

const RESULT = { result: { deleted: "n2" } };
const AFTER = [{ calls: ["call-1"] }, { result: "the note n1" }, "assistant: Done."];
const ONCE = ["delete n2", "read n1"];
const YES = { path: "recovery", status: "approved" };

describe("kill -9", () => {
  let template: Awaited<ReturnType<typeof makeTemplate>>;
  before(async () => {
    template = await makeTemplate();
  });
  after(() => template.remove());
  const scenario = (name: string, body: (world: World) => Promise<void>): void => {
    test(name, { timeout: 60_000 }, async (t) => {
      const world = await World.make(template.data);
      t.after(() => world.end());
      await body(world);
    });
  };

  scenario("while a card is open: the approval is carried out once, the run goes on", async (world) => {
    await killedAsking(world);
    const host = await world.start();
    assert.deepEqual(
      (await host.pending()).map(({ confirmationId, live }) => ({ confirmationId, live })),
      [{ confirmationId: "call-0", live: false }],
    );
    assert.deepEqual(await host.decide(true), { status: 200, body: YES });
    assert.deepEqual(await host.ended(), ["user: clean up", { calls: ["call-0"] }, RESULT, ...AFTER]);
    assert.deepEqual(await world.executions(), ONCE);
    assert.deepEqual(await host.pending(), []);
    assert.deepEqual(await host.decide(true), { status: 200, body: { ...YES, replayed: true } });
    assert.equal((await host.decide(false)).status, 409);
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("while a card is open: the first request of the new process may be the answer, twice", async (world) => {
    await killedAsking(world);
    const host = await world.start();
    const answers = await Promise.all([host.decide(true), host.decide(true)]);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.path, body.status]),
      [
        [200, "recovery", "approved"],
        [200, "recovery", "approved"],
      ],
    );
    assert.equal(answers.filter(({ body }) => body.replayed).length, 1);
    assert.deepEqual(await host.ended(), ["user: clean up", { calls: ["call-0"] }, RESULT, ...AFTER]);
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("between the saved question and its card: it is listed, and can be answered", async (world) => {
    const first = await world.start({ dies: { when: "after", kind: "c:", holding: ['"stage":"pending"'] } });
    await assert.rejects(first.run());
    await first.died();
    const host = await world.start();
    assert.deepEqual(
      (await host.pending()).map(({ confirmationId, live }) => ({ confirmationId, live })),
      [{ confirmationId: "call-0", live: false }],
    );
    assert.deepEqual(await host.decide(true), { status: 200, body: YES });
    assert.deepEqual(await host.ended(), ["user: clean up", { calls: ["call-0"] }, RESULT, ...AFTER]);
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("while a card is open, then denied: it never runs, the model is told, the run goes on", async (world) => {
    await killedAsking(world);
    const host = await world.start();
    assert.deepEqual(await host.decide(false), { status: 200, body: { path: "recovery", status: "denied" } });
    assertRefused(await host.ended(), /declined.*Do not retry/);
    assert.deepEqual(await world.executions(), ["read n1"]);
  });

  scenario("while a card is open, and the tool is gone: the model is told, the run goes on", async (world) => {
    await killedAsking(world);
    const host = await world.start({ tool: "absent" });
    assert.deepEqual(await host.decide(true), { status: 200, body: YES });
    assertRefused(await host.ended(), /there is no tool of this name.*Do not retry/);
    assert.deepEqual(await world.executions(), ["read n1"]);
  });

  scenario("while a card is open, and the tool throws: the model is told, the run goes on", async (world) => {
    await killedAsking(world);
    const host = await world.start({ tool: "throws" });
    assert.deepEqual(await host.decide(true), { status: 200, body: YES });
    assertRefused(await host.ended(), /the disk is full.*Do not retry/);
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("while the tool runs: the outcome is unknown, it is never run again", async (world) => {
    const first = await world.start({ tool: "waits" });
    first.decide(true, await first.run()).catch(() => {});
    while ((await world.executions()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await first.kill();

    const host = await world.start();
    await unknownOutcome(host);
    assert.deepEqual(await world.executions(), ONCE);
    const { status, body } = await host.decide(true);
    assert.deepEqual([status, body.replayed], [200, true]);
    assert.deepEqual(await world.executions(), ONCE);
  });

  const killed = (dies: CrashOptions["dies"]) => async (world: World) => {
    const first = await world.start({ ...(dies && { dies }) });
    first.decide(true, await first.run()).catch(() => {});
    await first.died();
  };
  const killedDecided = killed({ when: "after", kind: "c:", holding: ['"stage":"decided"'] });
  const killedClaimed = killed({ when: "after", kind: "c:", holding: ['"stage":"executing"'] });
  const killedUnsaved = killed({ when: "before", kind: "c:", holding: ['"stage":"settled"'] });
  const killedSettled = killed({ when: "after", kind: "c:", holding: ['"stage":"settled"'] });

  scenario("after the answer was written: whoever reads the session carries it out", async (world) => {
    await killedDecided(world);
    const host = await world.start();
    await host.pending();
    assert.deepEqual(await host.ended(), ["user: clean up", { calls: ["call-0"] }, RESULT, ...AFTER]);
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("after the answer was written: the same answer again carries it out", async (world) => {
    await killedDecided(world);
    const host = await world.start();
    assert.deepEqual(await host.decide(true), { status: 200, body: { ...YES, replayed: true } });
    assert.deepEqual(await host.ended(), ["user: clean up", { calls: ["call-0"] }, RESULT, ...AFTER]);
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("between the claim and the tool: the outcome is unknown, it is not run", async (world) => {
    await killedClaimed(world);
    await unknownOutcome(await world.start());
    assert.deepEqual(await world.executions(), ["read n1"]);
  });

  scenario("between the tool and the saved result: the outcome is unknown, it is not run again", async (world) => {
    await killedUnsaved(world);
    await unknownOutcome(await world.start());
    assert.deepEqual(await world.executions(), ONCE);
  });

  scenario("before the model saw the result: the thread's next run is given it", async (world) => {
    await killedSettled(world);
    const host = await world.start();
    assert.deepEqual(await host.pending(), []);
    assert.deepEqual(await host.decide(true), {
      status: 200,
      body: { path: "live", status: "approved", replayed: true },
    });
    assert.deepEqual(await world.executions(), ["delete n2"]);
    const { messages } = await host.history();
    await host.run(messages);
    assert.deepEqual(await host.ended(), ["user: clean up", { calls: ["call-0"] }, RESULT, "user: clean up", ...AFTER]);
    assert.deepEqual(await world.executions(), ONCE);
  });

  for (const [name, dies] of Object.entries({
    "after the resumption was claimed": { when: "after", kind: "r:", holding: ['"fence":1'] },
    "before the started run was noted": { when: "before", kind: "r:", holding: ['"delivered":true'] },
    "after the started run was noted": { when: "after", kind: "r:", holding: ['"delivered":true'] },
  } satisfies Record<string, CrashOptions["dies"]>)) {
    scenario(`${name}: the tool is not run again and nothing stays open`, async (world) => {
      await killedAsking(world);
      const second = await world.start({ dies });
      second.decide(true).catch(() => {});
      await second.died();
      const host = await world.start();
      while ((await host.pending()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(await host.decide(true), { status: 200, body: { ...YES, replayed: true } });
      const { messages, running } = await host.history();
      // Where the first resumed run had started, it is the person's to go on.
      if (!running && messages.at(-1)?.content !== "Done.") await host.run(messages);
      const ended = await host.ended();
      assert.deepEqual(ended.filter((message) => message !== "user: clean up").slice(0, 2), [
        { calls: ["call-0"] },
        RESULT,
      ]);
      assert.equal((await world.executions()).filter((line) => line === "delete n2").length, 1);
    });
  }
});

/** A process that is killed while its person looks at the card. */
async function killedAsking(world: World): Promise<void> {
  const first = await world.start();
  assert.equal(await first.run(), "call-0");
  assert.deepEqual(
    (await first.pending()).map(({ live }) => live),
    [true],
  );
  await first.kill();
}

async function unknownOutcome(host: CrashHost): Promise<void> {
  await host.pending();
  assertRefused(await host.ended(), /whether it finished is not known.*Do not retry/);
  assert.deepEqual(await host.pending(), []);
}

function assertRefused(thread: unknown[], reason: RegExp): void {
  const [said, call, refusal, ...rest] = thread;
  assert.deepEqual([said, call, ...rest], ["user: clean up", { calls: ["call-0"] }, ...AFTER]);
  const { result } = refusal as { result: { status: string; tool: string; reason: string } };
  assert.deepEqual([result.status, result.tool], ["denied", "delete_note"]);
  assert.match(result.reason, reason);
}
