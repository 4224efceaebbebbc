// The READMEs' quickstart, run as it stands: an express host in a process of its own, a client, a person.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { HttpAgent } from "@ag-ui/client";
import { watch } from "./notes-host.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const quickstart = (path: string): string => {
  const block = /```ts\n(import express[\s\S]*?)```/.exec(readFileSync(new URL(path, import.meta.url), "utf8"))?.[1];
  assert.ok(block, `${path} has a quickstart`);
  return block;
};

const NOTES = `
import { ScriptedAgent } from "../notes-host.ts";
export const read_note = ({ id }) => "the note " + id;
export const delete_note = ({ id }) => ({ deleted: id });
export const userOf = () => ({ user: "u1" });
export class NotesAgent extends ScriptedAgent {
  constructor(gate) {
    super(gate, [["read_note", { id: "n1" }], ["delete_note", { id: "n2" }]]);
  }
}
`;

const rules = (path: string): string => {
  const block = /```ts\n(import \{ parsePolicy[\s\S]*?)```/.exec(
    readFileSync(new URL(path, import.meta.url), "utf8"),
  )?.[1];
  assert.ok(block, `${path} has rules`);
  return block;
};

test("the rules of the READMEs answer as their comments say", async (t) => {
  const text = rules("../../README.md");
  assert.equal(rules("../../pkg-template/README.md"), text);
  const folder = mkdtempSync(`${here}rules-`);
  t.after(() => rmSync(folder, { recursive: true }));
  const lines = text
    .split("\n")
    .map((line) => (/^policy\./.test(line) ? `answers.push(${line.replace(/; \/\/.*$/, "")});` : line));
  writeFileSync(`${folder}/rules.mjs`, `export const answers = [];\n${lines.join("\n")}`);
  const { answers } = (await import(`${folder}/rules.mjs`)) as { answers: string[] };
  const said = [...text.matchAll(/; \/\/ "(\w+)"$/gm)].map((match) => match[1]);
  assert.deepEqual(answers.slice(0, said.length), said);
  assert.match(
    answers.at(-1) ?? "",
    /`bash\(git status:\*\)` \(policy\.json:4\) covers `git status`, nothing covers `curl x`/,
  );
});

test("both READMEs have the same quickstart", () => {
  assert.equal(quickstart("../../README.md"), quickstart("../../pkg-template/README.md"));
});

test("the quickstart serves an agent whose tools ask", { timeout: 60_000 }, async (t) => {
  const folder = mkdtempSync(`${here}quickstart-`);
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/notes.js`, NOTES);
  // A free port instead of 8080, and its number printed: all that differs from the text.
  const text = quickstart("../../README.md").replace(
    ".listen(8080)",
    ".listen(0, function () { console.log(this.address().port); })",
  );
  writeFileSync(`${folder}/main.ts`, text);
  const child = spawn(process.execPath, ["--import", "tsx", `${folder}/main.ts`], {
    cwd: here,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(async () => {
    child.kill();
    await once(child, "exit");
  });
  const [port] = (await once(createInterface(child.stdout), "line")) as [string];
  const base = `http://127.0.0.1:${port}`;
  const agent = new HttpAgent({ url: `${base}/agui`, threadId: "t1" });
  agent.addMessage({ id: "m1", role: "user", content: "clean up" });
  const seen = await watch(agent, ({ confirmationId }) =>
    fetch(`${base}/ack/confirmation`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: "t1", confirmationId, approved: true }),
    }),
  );
  assert.deepEqual(
    seen.cards.map(({ toolName, status }) => [toolName, status]),
    [
      ["delete_note", "pending"],
      ["delete_note", "approved"],
    ],
  );
  assert.deepEqual(seen.results, ['"the note n1"', '{"deleted":"n2"}']);
});

const AGENT = `
export async function runAgent(gate, model, content) {
  const messages = [{ role: "user", content }];
  for (let said = model(messages); said.calls.length > 0; said = model(messages)) {
    for (const call of said.calls) {
      const { content } = await gate.execute({ sessionId: "s1", ...call });
      messages.push({ role: "tool", toolCallId: call.toolCallId, content });
    }
  }
}
`;

test("the test of an agent passes, and fails when the agent is answered otherwise", async (t) => {
  const text = readFileSync(new URL("../../pkg-template/README.md", import.meta.url), "utf8");
  const block = /```ts\n(import assert[\s\S]*?)```/.exec(text)?.[1];
  assert.ok(block, "the README has a test of an agent");
  const folder = mkdtempSync(`${here}agent-`);
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/agent.js`, AGENT);
  for (const [content, code] of [
    [block, 0],
    [block.replace('["approve", ', '["deny", '), 1],
    [block.replace('["n2", "n3"].map', '["n2"].map'), 1],
  ] as const) {
    writeFileSync(`${folder}/main.ts`, content);
    // A run of its own: what this one's runner tells its children is not for it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ["--import", "tsx", `${folder}/main.ts`], { cwd: here, env });
    assert.deepEqual(await once(child, "exit"), [code, null]);
  }
});
