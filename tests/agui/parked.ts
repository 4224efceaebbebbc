// Conversations that are parked: a run has ended with interrupts, and its person has the word.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "./cases.ts";
import { asking, type Event, type Front, type ResumeEntry, resolved } from "./client.ts";
import { type Host, type HostOptions, withHost } from "./host.ts";
import type { ClientLine } from "./lines.ts";

const REMOVE = { id: "c1", tool: "delete_note", args: { id: "n1" } } as const;
const SECOND = { id: "c2", tool: "delete_note", args: { id: "n2" } } as const;
export const ONE = [[REMOVE]];
export const TWO = [[REMOVE, SECOND]];
const YES: Answer = { approved: true };
const NO: Answer = { approved: false };
export const yes = (id: string) => resolved(id, YES);
export const no = (id: string) => resolved(id, NO);

/** A test of one line, in which the first run, `r1`, is over. */
export function parked(
  line: ClientLine,
  what: string,
  options: HostOptions,
  body: (host: Host, person: Front) => Promise<void>,
): void {
  test(`${line.name}: ${what}`, () =>
    withHost(line, { ...options, agui: { mode: "interrupt", ...options.agui } }, async (host) => {
      const person = asking(host);
      await person.run({ runId: "r1" });
      await body(host, person);
    }));
}

export const resume = (person: Front, runId: string, ...entries: ResumeEntry[]) =>
  person.run({ runId, resume: entries });

/** Takes from the client what it would insist on. */
export function forget(person: Front, ...ids: string[]): void {
  person.agent.pendingInterrupts = person.agent.pendingInterrupts.filter(({ id }) => !ids.includes(id));
}

/** The events of the latest run. */
export const latest = ({ events }: Front): Event[] =>
  events.slice(events.map(({ type }) => type).lastIndexOf("RUN_STARTED"));
export const last = (person: Front) => person.events.at(-1) as Event;
export const outcome = (person: Front) => {
  const { type, outcome } = last(person);
  return type === "RUN_FINISHED" ? ((outcome as { type: string } | undefined)?.type ?? "success") : type;
};

/** The results that the latest run sent. */
export const results = (person: Front) =>
  latest(person).flatMap(({ type, toolCallId, content }) =>
    type === "TOOL_CALL_RESULT" ? [[String(toolCallId), String(content)] as const] : [],
  );
/** Why the first of them is a refusal. */
export const reason = (person: Front) => String(JSON.parse(results(person)[0]?.[1] ?? "{}").reason);

/** Resumes; gives the refusal as long as the gateway itself carries on. */
export async function tried(person: Front): Promise<unknown> {
  const error = await resume(person, "r2", yes("c1")).catch((thrown: Error & { status?: number }) => thrown);
  if (error !== undefined) assert.equal(error.status, 409);
  return error;
}
