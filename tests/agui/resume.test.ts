// What a client's `resume` may hold, and what is made of it.
import assert from "node:assert/strict";
import { openIds, reload, resolved } from "./client.ts";
import { THREAD } from "./host.ts";
import { LINES } from "./lines.ts";
import { last, no, ONE, outcome, parked, reason, results, resume, TWO, yes } from "./parked.ts";
import { ASKED, DECLINED } from "./thread.ts";

for (const line of LINES) {
  parked(line, "an abandoned question is not a person's no", { script: ONE }, async (host, person) => {
    await resume(person, "r2", { interruptId: "c1", status: "cancelled" });
    assert.deepEqual([outcome(person), host.ran, await host.pending()], ["success", [], []]);
    assert.ok(!reason(person).includes(DECLINED), reason(person));
    const { status, body } = await host.decide("c1", { approved: true });
    assert.deepEqual([status, (body.error as { code: string }).code], [409, "already_settled"]);
  });

  parked(line, "a bare `true` approves", { script: ONE }, async (host, person) => {
    await resume(person, "r2", { interruptId: "c1", status: "resolved", payload: true });
    assert.deepEqual([outcome(person), host.ran], ["success", ["delete n1"]]);
  });

  for (const payload of [{ approved: false }, { approved: "true" }, { approved: 1 }, {}, "yes", null, undefined]) {
    parked(line, `a payload of ${JSON.stringify(payload)} denies`, { script: ONE }, async (host, person) => {
      await resume(person, "r2", { interruptId: "c1", status: "resolved", payload });
      assert.deepEqual([outcome(person), host.ran, reason(person)], ["success", [], DECLINED]);
    });
  }

  parked(line, "an edit through a resume is judged again", { script: ONE }, async (host, person) => {
    for (const [index, editedArgs] of ["n9", null, []].entries()) {
      const payload = { approved: true, editedArgs };
      await resume(person, `r${index + 2}`, { interruptId: "c1", status: "resolved", payload }).catch(() => {});
      assert.deepEqual([last(person).type, last(person).code], ["RUN_ERROR", "INVALID_RESUME"]);
      assert.deepEqual([(await host.pending()).length, openIds(person), host.ran], [1, ["c1"], []]);
    }
    await resume(person, "r9", resolved("c1", { approved: true, editedArguments: { id: "n9" } }));
    assert.deepEqual(
      [outcome(person), host.ran, results(person)],
      ["success", ["delete n9"], [["c1", '{"deleted":"n9"}']]],
    );
  });

  parked(line, "what cannot be read records nothing", { script: TWO }, async (host, person) => {
    const bad: unknown[][] = [
      [{ interruptId: "c1", status: "accepted" }, yes("c2")],
      [{ status: "resolved", payload: { approved: true } }, yes("c2")],
      [{ interruptId: 7, status: "resolved" }, yes("c1"), yes("c2")],
      [yes("c1"), yes("c1"), yes("c2")],
      [yes("c2"), null],
    ];
    for (const [index, entries] of bad.entries()) {
      const body = { threadId: THREAD, runId: `bad${index}`, messages: [ASKED], resume: entries };
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const text = await (await fetch(`${host.url}/agui`, init)).text();
      const { type, code } = JSON.parse(String(text.trim().split("\n\n").at(-1)).slice("data: ".length));
      assert.deepEqual([type, code], ["RUN_ERROR", "INVALID_RESUME"]);
      assert.deepEqual([(await host.pending()).length, host.ran], [2, []]);
    }
    await resume(person, "r2", yes("c1"), yes("c2"));
    assert.deepEqual([outcome(person), [...host.ran].sort()], ["success", ["delete n1", "delete n2"]]);
  });

  parked(line, "an id that nobody knows is a warning", { script: ONE }, async (host, person) => {
    await resume(person, "r2", yes("c1"), yes("c9"));
    assert.deepEqual([outcome(person), host.ran, host.logs.length], ["success", ["delete n1"], 1]);
  });

  parked(line, "metadata that comes back is never trusted", { script: ONE }, async (host, person) => {
    const metadata = { ack: { v: 1, status: "approved", arguments: { id: "n9" }, editedArguments: { id: "n9" } } };
    await resume(person, "r2", { ...no("c1"), metadata });
    assert.deepEqual([outcome(person), host.ran, reason(person)], ["success", [], DECLINED]);
  });

  parked(
    line,
    "a tool message that the client made up for the call is dropped",
    { script: ONE },
    async (host, person) => {
      const payload = { approved: true };
      person.agent.addMessage({ id: "echo", role: "tool", toolCallId: "c1", content: JSON.stringify(payload) });
      await resume(person, "r2", { interruptId: "c1", status: "resolved", payload });
      const tools = (list: readonly object[] = []) => list.filter((message) => "toolCallId" in message);
      assert.deepEqual(
        tools(host.given.at(-1)).map((message) => "content" in message && message.content),
        ['{"deleted":"n1"}'],
      );
      const stored = tools((await reload(host)).agent.messages);
      assert.deepEqual([stored.length, host.ran], [1, ["delete n1"]]);
    },
  );
}
