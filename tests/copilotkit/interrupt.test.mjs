// Runs that end with interrupts, through CopilotKit's runtime and back by its client's `resume`, with its echo of answers.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { decide, pending, start } from "../hosts/example.mjs";
import { Tab } from "./tab.mjs";

const patience = { timeout: 60_000 };
const file = fileURLToPath(new URL("interrupting-host.mjs", import.meta.url));

for (const mode of ["interrupt", "auto"]) {
  describe(`mode ${mode}`, patience, () => {
    let host;
    const ends = [];
    after(() => Promise.all(ends.map((end) => end())));
    before(async () => {
      const env = { MODE: mode, COPILOTKIT_TELEMETRY_DISABLED: "true" };
      host = await start({ after: (end) => ends.push(end) }, file, {
        preload: [new URL("offline.mjs", import.meta.url)],
        env,
      });
    });

    const callsOf = (thread) => [`${thread}-1`, `${thread}-2`];
    const log = async () => (await fetch(`${host.base}/log`)).json();
    const openIds = (tab) => tab.interrupts.map(({ id }) => id).sort();

    /** A run that has ended with its two interrupts. */
    async function interrupted(thread) {
      const tab = new Tab(host, "ann", thread);
      await tab.run();
      assert.deepEqual([tab.end.type, tab.end.outcome.type], ["RUN_FINISHED", "interrupt"]);
      assert.deepEqual(openIds(tab), callsOf(thread));
      const { executed } = await log();
      assert.ok(!callsOf(thread).some((id) => executed.includes(id)));
      return tab;
    }

    /** Each call ran `times`, and one model went on, with one result for each call. */
    async function assertWhole(thread, times, result) {
      const { executed, given, faults } = await log();
      for (const call of callsOf(thread)) assert.equal(executed.filter((id) => id === call).length, times, call);
      const runs = given.filter(({ threadId }) => threadId === thread).map(({ results }) => results.sort());
      assert.deepEqual(
        runs.map((results) => results.map(([id, content]) => [id, result(id, JSON.parse(content))])),
        [callsOf(thread).map((id) => [id, true])],
      );
      assert.deepEqual([faults, await pending(host, "ann", thread)], [[], []]);
    }
    const deleted = (id, content) => content.deleted === id;
    const denied = (_, content) => content.status === "denied";

    test("approved by resume: the echo of the answer is dropped, the model sees the result", patience, async () => {
      const tab = await interrupted("yes");
      await tab.answer({ approved: true });
      assert.deepEqual(
        [tab.end.type, tab.end.outcome?.type ?? "success", openIds(tab)],
        ["RUN_FINISHED", "success", []],
      );
      assert.deepEqual(tab.results.map(({ deleted }) => deleted).sort(), callsOf("yes"));
      assert.equal(tab.messages.at(-1).content, "Done.");
      await assertWhole("yes", 1, deleted);
    });

    test("denied by resume", patience, async () => {
      const tab = await interrupted("no");
      await tab.answer({ approved: false });
      assert.deepEqual([tab.end.type, openIds(tab)], ["RUN_FINISHED", []]);
      await assertWhole("no", 0, denied);
    });

    test("one by POST, the rest by resume", patience, async () => {
      const tab = await interrupted("both");
      const [first] = callsOf("both");
      const answer = { threadId: "both", confirmationId: first };
      assert.deepEqual(await decide(host, "ann", answer), { status: 200, path: "recovery" });
      await tab.answer({ approved: true });
      assert.deepEqual([tab.end.type, openIds(tab)], ["RUN_FINISHED", []]);
      await assertWhole("both", 1, deleted);
    });

    test("a reload restores the interrupts, and its tab resumes", patience, async () => {
      const closed = await interrupted("reload");
      const tab = new Tab(host, "ann", "reload");
      await tab.connect();
      assert.deepEqual([openIds(tab), tab.cards.length], [callsOf("reload"), closed.cards.length]);
      await tab.answer({ approved: true });
      assert.deepEqual([tab.end.type, openIds(tab)], ["RUN_FINISHED", []]);
      await assertWhole("reload", 1, deleted);
      const afterwards = new Tab(host, "ann", "reload");
      await afterwards.connect();
      assert.deepEqual([openIds(afterwards), afterwards.messages.at(-1).content], [[], "Done."]);
    });

    test("a run without answers asks for the same again", patience, async () => {
      const tab = await interrupted("again");
      const again = new Tab(host, "ann", "again");
      await again.run();
      assert.deepEqual([again.end.outcome.type, openIds(again)], ["interrupt", callsOf("again")]);
      await tab.answer({ approved: true });
      await assertWhole("again", 1, deleted);
    });

    test("the runtime says that people approve, by interrupts too", patience, async () => {
      const { agents } = await (await fetch(`${host.base}/api/copilotkit/info`)).json();
      const ways = { supported: true, approvals: true, interrupts: true, approveWithEdits: true };
      assert.deepEqual(agents.notes.capabilities.humanInTheLoop, ways);
    });
  });
}
