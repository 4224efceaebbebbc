// Conversations as data: what the model calls, how a person answers, and what must have come of it, whatever the way.
import type { Message } from "@ag-ui/client";
import type { Script } from "./agent.ts";
import { answered, called, DECLINED } from "./thread.ts";

/** Without `approved` it would be no answer. */
export interface Answer {
  readonly approved: boolean;
  readonly remember?: "session";
  readonly editedArguments?: object;
  readonly note?: string;
}
export interface Case {
  readonly what: string;
  readonly script: Script;
  /** For each time that cards are open together: the answers, in the order they are given. */
  readonly rounds: readonly (readonly (readonly [id: string, answer: Answer])[])[];
  readonly ran: readonly string[];
  /** The calls and results in the order they come, without what was said. */
  readonly came: readonly Message[];
  /** What was decided without a person. */
  readonly bases?: readonly string[];
}

const yes: Answer = { approved: true };
const no: Answer = { approved: false };
const remove = (id: string, note: string) => ({ id, tool: "delete_note", args: { id: note } });
const asked = (id: string, note: string) => called(id, "delete_note", { id: note });
const removed = (id: string, note: string) => answered(id, { deleted: note });

/** The result of a call that a person refused; see `texts` of the host. */
const declined = { status: "denied", tool: "delete_note", reason: DECLINED };

const PARALLEL = ["c1", "c2", "c3"];
const orders = (ids: readonly string[]): string[][] =>
  ids.length < 2
    ? [[...ids]]
    : ids.flatMap((id) => orders(ids.filter((each) => each !== id)).map((rest) => [id, ...rest]));

export const CASES: readonly Case[] = [
  {
    what: "a call that is approved",
    script: [[remove("c1", "n1")]],
    rounds: [[["c1", yes]]],
    ran: ["delete n1"],
    came: [asked("c1", "n1"), removed("c1", "n1")],
  },
  {
    what: "a call that is denied",
    script: [[remove("c1", "n1")]],
    rounds: [[["c1", no]]],
    ran: [],
    came: [asked("c1", "n1"), answered("c1", declined)],
  },
  ...orders(PARALLEL).map((order) => ({
    what: `three calls at once, answered in the order ${order.join(", ")}`,
    script: [PARALLEL.map((id) => remove(id, id))],
    rounds: [order.map((id) => [id, id === "c2" ? no : yes] as const)],
    ran: order.filter((id) => id !== "c2").map((id) => `delete ${id}`),
    came: [
      ...PARALLEL.map((id) => asked(id, id)),
      ...order.map((id) => (id === "c2" ? answered(id, declined) : removed(id, id))),
    ],
  })),
  {
    what: "a tool that is remembered is not asked about again",
    script: [[remove("c1", "n1")], [remove("c2", "n2")]],
    rounds: [[["c1", { approved: true, remember: "session" }]]],
    ran: ["delete n1", "delete n2"],
    came: [asked("c1", "n1"), removed("c1", "n1"), asked("c2", "n2"), removed("c2", "n2")],
    bases: ["grant"],
  },
  {
    what: "without remembering it is asked about again",
    script: [[remove("c1", "n1")], [remove("c2", "n2")]],
    rounds: [[["c1", yes]], [["c2", no]]],
    ran: ["delete n1"],
    came: [asked("c1", "n1"), removed("c1", "n1"), asked("c2", "n2"), answered("c2", declined)],
  },
  {
    what: "arguments that are edited",
    script: [[remove("c1", "n1")]],
    rounds: [[["c1", { approved: true, editedArguments: { id: "n9" } }]]],
    ran: ["delete n9"],
    came: [asked("c1", "n1"), removed("c1", "n9")],
  },
];
