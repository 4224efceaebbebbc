// The host's side is of the line that was asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate, memoryState } from "ackgate";
import { wrapAgent } from "ackgate/agui";
import { ScriptedAgent } from "./agent.ts";
import { LINES } from "./lines.ts";

const wanted = process.env.ACKGATE_TEST_SERVER_LINE ?? "1.0.0";

test(`agents are of the client line ${wanted}`, () => {
  const gate = createGate({ state: memoryState(), defaultTier: "confirm" });
  const agent = new ScriptedAgent({ gate, script: [], given: [], fails: new Set() });
  const base = Object.getPrototypeOf(LINES.find(({ name }) => name === wanted)?.HttpAgent);
  assert.equal(Object.getPrototypeOf(ScriptedAgent), base);
  assert.equal(Object.getPrototypeOf(wrapAgent(agent, gate, { mode: "block" }).constructor), base);
});
