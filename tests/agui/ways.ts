// The ways in which a person's answers reach the gate.
import assert from "node:assert/strict";
import type { Payload } from "ackgate";
import type { WrapOptions } from "ackgate/agui";
import { until } from "../shared/waiting.ts";
import type { Answer, Case } from "./cases.ts";
import { asking, type Front, openIds, reload, resolved, running } from "./client.ts";
import type { Host } from "./host.ts";

export interface Way {
  readonly name: string;
  readonly options: WrapOptions;
  /** The conversation is read from the thread's history. */
  readonly reloads?: true;
  /** Also the order in which answered calls run is the person's. */
  readonly exact?: true;
  converse(host: Host, each: Case): Promise<Front>;
}

const word = ({ approved }: Answer) => (approved ? "approved" : "denied");

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
  const expected = rounds.flat().map(([, given]) => [200, "live", word(given)]);
  assert.deepEqual(paths, expected);
  return person;
}

/** Lets a run end that opens the cards with these ids. */
type End = (host: Host, run: Promise<void>, opens: readonly string[]) => Promise<void>;

const byItself: End = (_, run) => run;

/** Nobody answers while the window is open. */
const afterItsWindow: End = async (host, run, opens) => {
  await until(async () => (await host.pending()).filter(({ live }) => live).length === opens.length);
  if (opens.length > 0) await host.clock.advance(30_000);
  return run;
};

/** A run ends with interrupts, and the next one carries the answers. */
function resume(end: End): Way["converse"] {
  return async (host, { rounds }) => {
    const person = asking(host);
    const opens = (round: number) => (rounds[round] ?? []).map(([id]) => id).sort();
    await end(host, person.run({ runId: "r1" }), opens(0));
    for (const [index, round] of rounds.entries()) {
      assert.deepEqual(openIds(person), opens(index));
      const answers = round.map(([id, given]) => resolved(id, given));
      await end(host, person.run({ runId: `r${index + 2}`, resume: answers }), opens(index + 1));
    }
    assert.deepEqual(openIds(person), []);
    return person;
  };
}

/** A run ends with interrupts, and each is answered by POST; the gateway itself carries on. */
async function posted(host: Host, { rounds }: Case): Promise<Front> {
  await asking(host).run({ runId: "r1" });
  for (const round of rounds) {
    assert.deepEqual(openIds(await reload(host)), round.map(([id]) => id).sort());
    for (const [id, given] of round) {
      const { status, body } = await host.decide(id, given);
      assert.deepEqual([status, body.path, body.status], [200, "recovery", word(given)]);
    }
    await until(async () => running(await reload(host)) === false, "the resumed run ends");
  }
  return reload(host);
}

export const WAYS: readonly Way[] = [
  { name: "block", options: { mode: "block" }, exact: true, converse: live },
  { name: "auto, in its window", options: { mode: "auto" }, exact: true, converse: live },
  { name: "auto, after its window", options: { mode: "auto" }, converse: resume(afterItsWindow) },
  { name: "interrupt, by resume", options: { mode: "interrupt" }, converse: resume(byItself) },
  { name: "interrupt, by POST", options: { mode: "interrupt" }, reloads: true, converse: posted },
];
