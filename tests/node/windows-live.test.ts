// Failure windows at the thread's next run: what a broken turn left behind is given to it, and is not run again.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@ag-ui/client";
import { wrapAgent } from "ackgate/agui";
import { collect, input, runFinished, runStarted, ScriptedAgent, toolCall } from "./agui-fakes.ts";
import { called, user } from "./agui-mount.ts";
import { asked, CALL, hostOn, idle, sharedState, type TestHost, YES } from "./windows-hosts.js";

const LIMIT = { timeout: 60_000 };
const BROKEN: Message[] = [user("u1"), called("c1", "delete_note"), user("u2", "go on")];

/** Starts the thread's next run with the broken turn in its messages; gives the results that its model reads. */
async function nextRun({ gate }: TestHost): Promise<unknown[]> {
  const read: Message[] = [];
  const agent = new ScriptedAgent((each, emit) => {
    read.push(...each.messages);
    emit(runStarted(each));
    emit(runFinished(each));
  });
  await collect(
    wrapAgent(agent, gate, { mode: "block" }).run(input({ threadId: "s1", runId: "r2", messages: BROKEN })),
  );
  assert.deepEqual(
    read.map(({ role }) => role),
    ["user", "assistant", "tool", "user"],
  );
  return read.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(String(content)) as unknown);
}

const ENDS: Record<string, { approved: boolean; tools: object; result: unknown }> = {
  "it ran": { approved: true, tools: { delete_note: () => ({ deleted: "n2" }) }, result: { deleted: "n2" } },
  "it was denied": {
    approved: false,
    tools: { delete_note: () => assert.fail("it ran") },
    result: /declined.*Do not retry/,
  },
  "it failed": {
    approved: true,
    tools: {
      delete_note: () => {
        throw new Error("disk full");
      },
    },
    result: /disk full.*Do not retry/,
  },
};
for (const [end, { approved, tools, result }] of Object.entries(ENDS)) {
  test(
    `live: settled (${end}), run dies before the model saw it: given at the start of the next run`,
    LIMIT,
    async () => {
      const store = sharedState();
      const host = hostOn(store.state, { tools });
      const dying = new ScriptedAgent(async (each, emit) => {
        emit(runStarted(each));
        for (const event of toolCall("c1", "delete_note", CALL.arguments)) emit(event);
        await host.gate.execute({ ...CALL, sessionId: undefined }).catch(() => undefined);
        throw new Error("the connection to the model was lost");
      });
      const wrapped = wrapAgent(dying, host.gate, { mode: "block" });
      const run = collect(wrapped.run(input({ threadId: "s1", runId: "r1", messages: [user("u1")] })));
      run.catch(() => undefined);
      while ((await host.gate.pending("s1")).length === 0) await new Promise((resolve) => setImmediate(resolve));
      const decided = { path: "live", status: approved ? "approved" : "denied" };
      assert.deepEqual(await host.gate.decide({ ...YES, approved }), decided);
      await assert.rejects(run, /connection to the model/);
      const { stage, delivered } = await store.record();
      assert.deepEqual([stage, delivered], ["settled", false]);

      const next = hostOn(store.state, { tools: { delete_note: () => assert.fail("it ran again") } });
      next.resumes();
      assert.deepEqual(await next.gate.decide({ ...YES, approved }), { ...decided, replayed: true });
      assert.deepEqual([await next.gate.pending("s1"), await next.gate.sweep(), next.runs], [[], 0, []]);
      for (const _ of ["the next run", "another one of a client that did not keep it"]) {
        const [read] = await nextRun(next);
        if (result instanceof RegExp) assert.match(String((read as { reason?: unknown }).reason), result);
        else assert.deepEqual(read, result);
      }
      assert.equal((await store.record()).delivered, true);
    },
  );
}

test(
  "decided, owner dies before claim: the thread's next run carries it out and is given the result",
  LIMIT,
  async () => {
    const store = sharedState();
    const owner = hostOn(store.state, { clock: idle });
    await asked(owner);
    const dead = owner.dies('"stage":"executing"');
    owner.gate.decide(YES).catch(() => undefined);
    await dead;
    await store.lapse();
    const next = hostOn(store.state);
    assert.deepEqual(await nextRun(next), ["ran 1"]);
    assert.deepEqual([owner.ran.length, next.ran.length], [0, 1]);
    next.resumes();
    assert.deepEqual([await next.gate.sweep(), next.runs], [0, []]);
  },
);

test("executing, process dies: the thread's next run reads that the outcome is unknown", LIMIT, async () => {
  const store = sharedState();
  const owner = hostOn(store.state, { clock: idle });
  await asked(owner);
  const dead = owner.dies('"stage":"settled"');
  owner.gate.decide(YES).catch(() => undefined);
  await dead;
  await store.lapse();
  const next = hostOn(store.state);
  const [read] = await nextRun(next);
  assert.match(String((read as { reason?: unknown }).reason), /whether it finished is not known.*Do not retry/);
  assert.deepEqual([owner.ran.length, next.ran.length], [1, 0]);
  next.resumes();
  assert.deepEqual([await next.gate.sweep(), next.runs], [0, []]);
});

test(
  "store that may lose acknowledged writes (`durable: false`): the next run reads that the outcome is unknown",
  LIMIT,
  async () => {
    for (const moment of ['"stage":"executing"', '"stage":"settled"']) {
      const store = sharedState();
      const unsure = { ...store.state, durable: false };
      const owner = hostOn(unsure, { clock: idle });
      await asked(owner);
      const dead = owner.dies(moment);
      owner.gate.decide(YES).catch(() => undefined);
      await dead;
      await store.lapse();
      const next = hostOn(unsure);
      const [read] = await nextRun(next);
      assert.match(String((read as { reason?: unknown }).reason), /whether it (was run|finished) is not known/);
      assert.equal(next.ran.length, 0);
    }
  },
);
