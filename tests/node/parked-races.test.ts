// Of all who answer parked questions at once, and of all who look, one executes each and one run goes on.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { memoryState } from "ackgate";
import { fakeClock } from "ackgate/testing";
import { resultsIn } from "./parked-agent.ts";
import { decide, emptyLog, Front, type Host, pending, startHost, stored, yes } from "./parked-hosts.ts";
import { Turns } from "./turns.ts";

const SEED = Number(process.env.ACKGATE_TURNS_SEED ?? randomInt(2 ** 31));
const COUNT = Number(process.env.ACKGATE_TURNS ?? 60);

interface World {
  readonly a: Host;
  readonly b: Host;
  /** The front end that has seen the interrupts. */
  readonly person: Front;
}
type Actor = (world: World) => Promise<unknown>;

async function answered(host: Host, id: string): Promise<void> {
  const { status, body } = await decide(host, id);
  assert.deepEqual([status, body.path, body.status], [200, "recovery", "approved"], JSON.stringify(body));
}
const postA =
  (id: string): Actor =>
  ({ a }) =>
    answered(a, id);
const postB =
  (id: string): Actor =>
  ({ b }) =>
    answered(b, id);
const resume = (...ids: string[]): Actor =>
  function resumed({ person }) {
    person.agent.pendingInterrupts = person.agent.pendingInterrupts.filter(({ id }) => ids.includes(id));
    return person.resume("r2", ...ids.map(yes));
  };
const looks: Actor = async ({ a, b }) => {
  for (let turn = 0; turn < 10; turn++) for (const host of [a, b]) await pending(host);
};

const RACES: Record<string, { readonly calls: readonly string[]; readonly actors: readonly Actor[] }> = {
  "by POST at the other host": { calls: ["c1"], actors: [postB("c1"), looks] },
  "by POST at both hosts": { calls: ["c1"], actors: [postA("c1"), postB("c1"), looks] },
  "by resume, while others look": { calls: ["c1"], actors: [resume("c1"), looks] },
  "by resume and by POST at the other host": { calls: ["c1"], actors: [resume("c1"), postB("c1")] },
  "by resume, by POST at both hosts, while others look": {
    calls: ["c1"],
    actors: [resume("c1"), postA("c1"), postB("c1"), looks],
  },
  "siblings: one by resume, one by POST at the other host": {
    calls: ["c1", "c2"],
    actors: [resume("c1"), postB("c2")],
  },
  "siblings: all by resume and one by POST at the other host": {
    calls: ["c1", "c2", "c3"],
    actors: [resume("c1", "c2", "c3"), postB("c2"), looks],
  },
  "siblings: half by resume, half by POST at both hosts": {
    calls: ["c1", "c2", "c3", "c4"],
    actors: [resume("c1", "c2"), postB("c3"), postA("c4"), looks],
  },
};

for (const [what, { calls, actors }] of Object.entries(RACES)) {
  test(`parked, answered ${what}`, { timeout: 120_000 }, async () => {
    console.log(`seed ${SEED}`);
    for (let seed = SEED; seed < SEED + COUNT; seed++) await race(seed, calls, actors);
  });
}

async function race(seed: number, calls: readonly string[], actors: readonly Actor[]): Promise<void> {
  const clock = fakeClock(Date.UTC(2100, 0));
  const [turns, log, state] = [new Turns(seed, clock), emptyLog(), memoryState()];
  const [a, b] = (["a", "b"] as const).map((name) => startHost(name, log, turns.of(name, state), clock, calls)) as [
    Host,
    Host,
  ];
  const person = new Front(a);
  person.agent.addMessage({ id: "u1", role: "user", content: "tidy up" });
  await person.run({ runId: "r1" });
  assert.deepEqual([person.open, log.rows], [calls, []]);
  try {
    await turns.play(() => Promise.all(actors.map((actor) => actor({ a, b, person }))));
    await whole(log, calls);
    const resumed = actors.some(({ name }) => name === "resumed");
    if (resumed) {
      assert.equal(person.types.at(-1), "RUN_FINISHED");
      // With siblings open the others' results come by another way.
      if (person.open.length === 0) assertOnce(resultsIn(person.agent.messages), calls);
    }
    assert.deepEqual(await pending(a), []);
    for (const host of [a, b]) {
      const messages = await stored(host);
      assertOnce(resultsIn(messages), calls);
      assert.equal(messages.filter(({ content }) => content === "Done.").length, 1, "the answer is stored once");
    }
  } catch (error) {
    throw new Error(`seed ${seed}: ${error}\n${turns.order.join("\n")}\n${JSON.stringify(log)}`, { cause: error });
  } finally {
    await Promise.all([a.gate.close(), b.gate.close()]);
  }
}

/** Each call was executed once, and one model went on, with each result once. */
async function whole({ rows, said, faults }: ReturnType<typeof emptyLog>, calls: readonly string[]): Promise<void> {
  assert.deepEqual(rows.map(([, id]) => id).sort(), calls);
  assert.deepEqual(
    said.map(({ results }) => results.length),
    [calls.length],
    "one run goes on",
  );
  assertOnce(said[0]?.results ?? [], calls);
  assert.deepEqual(faults, []);
}

function assertOnce(results: readonly (readonly [string, string])[], calls: readonly string[]): void {
  const expected = calls.map((id) => [id, JSON.stringify({ deleted: id })]);
  assert.deepEqual([...results].sort(), expected);
}
