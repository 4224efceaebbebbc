// What reports want in the same words, and how the checks of one report read its world.
import assert from "node:assert/strict";
import type { Executed, PendingItem } from "ackgate";
import { until } from "./agui-fakes.ts";
import { pending, type Step, type StepOf } from "./cases-steps.ts";
import type { World } from "./cases-world.ts";

export type Play = (world: World, steps: readonly Step[]) => Promise<void>;
export type Check = (world: World, wanted: never) => unknown;
/** What is particular to one report. */
export interface Own {
  /** Of the gates. */
  readonly options?: object;
  /** The ways through the steps; default: as they stand. */
  readonly plays?: Readonly<Record<string, Play>>;
  /** By the name of what is wanted. */
  readonly wants?: Readonly<Record<string, Check>>;
}

export const GENERAL: Readonly<Record<string, Check>> = {
  executions(world, wanted: Record<string, number>) {
    const expected = Object.entries(wanted).flatMap(([id, count]) => Array<string>(count).fill(id));
    assert.deepEqual(world.executed.map(({ id }) => id).sort(), expected.sort());
  },
  pending: (world, wanted: readonly string[]) => assertOpen(world, wanted),
  pendingAfterRestart: (world, wanted: readonly string[]) => assertOpen(world, wanted),
  pendingCount: (world, wanted: number) => assert.equal(world.listed?.length, wanted),
  path: (world, wanted: string) => assert.deepEqual(answers(world), [wanted]),
};

/** What holds in every report. */
export function assertLaws(world: World): void {
  for (const [id, statuses] of statusesOf(world)) {
    const settled = statuses.filter((status) => status !== "pending");
    assert.ok(statuses[0] === "pending" && settled.length <= 1, `${id}: ${statuses}`);
  }
  const runs = world.executed.map(({ id, args }) => JSON.stringify([id, args]));
  assert.equal(new Set(runs).size, runs.length, `a call was run twice: ${runs}`);
}

/** The ids that were listed, else those that are open; behind an id may stand that no run waits for it. */
async function assertOpen(world: World, wanted: readonly string[]): Promise<void> {
  const open = world.listed ?? (await pending(world));
  const ids = wanted.map((each) => each.split(" ")[0]);
  assert.deepEqual(open.map(({ toolCallId }) => toolCallId).sort(), ids.sort());
  if (wanted.some((each) => each.includes("live=false"))) assert.ok(open.every(({ live }) => !live));
}

/** What the decisions gave, in words. */
export function answers(world: World): string[] {
  return world.decided.map((each) => (typeof each === "string" ? each : each.replayed ? "replayed" : each.path));
}
export function statusesOf({ shown }: World): Map<string, string[]> {
  const statuses = new Map<string, string[]>();
  for (const { confirmationId: id, status } of shown) statuses.set(id, [...(statuses.get(id) ?? []), status]);
  return statuses;
}
/** The one end of a call. */
export async function outcome(world: World, id: string): Promise<Executed> {
  await until(() => world.outcomes.has(id), `${id} ends`);
  const [end, ...more] = world.outcomes.get(id) ?? [];
  assert.ok(typeof end === "object" && more.length === 0, `${id} ended with ${end}, ${more}`);
  return end;
}
/** The reason of a refusal: the one result of the call, in the model's form. */
export async function refusal(world: World, id: string): Promise<string> {
  const end = await outcome(world, id);
  assert.ok(end.denied, `${id} was run`);
  assert.deepEqual(JSON.parse(end.content), { ...end.denial });
  assert.equal(end.denial.status, "denied");
  return end.denial.reason;
}
export async function card(world: World, id: string): Promise<PendingItem> {
  const open = await pending(world);
  const found = open.find(({ confirmationId }) => confirmationId === id);
  assert.ok(found, `no card of ${id}: ${open.map((each) => each.confirmationId)}`);
  return found;
}
/** The arguments that tools were given. */
export const executedArgs = ({ executed }: World) => executed.map(({ args }) => args);
/** The results that runs were resumed with: the call and its content. */
export const resumedWith = ({ resumed }: World) =>
  resumed.map(({ messages }) => messages.map(({ toolCallId, content }) => [toolCallId, content]));

export const YES: StepOf<"decide"> = { op: "decide", id: "c1", approved: true };
