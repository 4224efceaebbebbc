// The ways in which a person's answers reach the gate.
import assert from "node:assert/strict";
import type { Payload } from "ackgate";
import type { WrapOptions } from "ackgate/agui";
import type { Case } from "./cases.ts";
import { asking, type Front } from "./client.ts";
import type { Host } from "./host.ts";

export interface Way {
  readonly name: string;
  readonly options: WrapOptions;
  converse(host: Host, each: Case): Promise<Front>;
}

/** The run stays open: each round is answered by POST as soon as all its cards are seen. */
async function live(host: Host, { rounds }: Case): Promise<Front> {
  const person = asking(host);
  const left = [...rounds];
  const open = new Set<string>();
  const paths: unknown[] = [];
  const answer = async ({ confirmationId }: Payload) => {
    open.add(confirmationId);
    if (!left[0]?.every(([id]) => open.has(id))) return;
    for (const [id, given] of left.shift() ?? []) {
      const { status, body } = await host.decide(id, given);
      paths.push([status, body.path, body.status]);
    }
  };
  await person.run({ runId: "r1" }, answer);
  const expected = rounds.flat().map(([, { approved }]) => [200, "live", approved ? "approved" : "denied"]);
  assert.deepEqual(paths, expected);
  return person;
}

export const WAYS: readonly Way[] = [{ name: "block", options: { mode: "block" }, converse: live }];
