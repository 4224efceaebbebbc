// What the steps of a report do in its world.
import assert from "node:assert/strict";
import type { Decision, Gate, PendingItem } from "ackgate";
import { post, until } from "./agui-fakes.ts";
import { codeOf } from "./cases-instance.ts";
import type { World } from "./cases-world.ts";

interface Decide {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string;
  readonly remember?: "session" | "global";
  readonly edited?: { readonly tool?: string; readonly args: string | object };
}
interface Fields {
  readonly toolCall: { readonly id: string; readonly tool: string; readonly args: object; readonly parents?: string[] };
  readonly toolCallRaw: { readonly id: string; readonly tool: string; readonly rawArgs: string | readonly string[] };
  readonly decide: Decide;
  readonly rawDecide: { readonly values: readonly string[] };
  readonly parallel: { readonly count?: number; readonly steps?: readonly Step[] };
  readonly pending: object;
  readonly as: { readonly user: string };
  readonly restart: object;
  readonly startRun: object;
  readonly resumeRun: { readonly fails?: string };
  readonly cancelRun: object;
  readonly closeSession: object;
  readonly wait: { readonly ms: number };
  readonly saveLoad: { readonly extraField: object };
  readonly session: { readonly id: string };
}
export type Step = { [Op in keyof Fields]: { readonly op: Op } & Fields[Op] }[keyof Fields];
export type StepOf<Op extends keyof Fields> = Extract<Step, { op: Op }>;

export async function play(world: World, steps: readonly Step[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const op = OPS[step.op] as ((world: World, step: Step, next: Step | undefined) => Promise<void>) | undefined;
    assert.ok(op, `the driver does not know the step ${step.op}`);
    await op(world, step, steps[index + 1]);
  }
}

const OPS: {
  readonly [Op in keyof Fields]: (world: World, step: Fields[Op], next: Step | undefined) => Promise<void>;
} = {
  toolCall: (world, { id, tool, args, parents }) => world.call(id, tool, args, { parents }),
  async toolCallRaw(world, { id, tool, rawArgs }) {
    for (const [index, text] of [rawArgs].flat().entries()) await world.call(id.replace("%d", `${index}`), tool, text);
  },
  async decide(world, step, next) {
    // A run that is resumed is part of the decision.
    world.runFails = next?.op === "resumeRun" ? next.fails : undefined;
    const deciding = decide(world, step);
    if (world.busy) world.here.going.push(deciding);
    else await deciding;
  },
  async rawDecide(world, { values }) {
    for (const body of values) world.decided.push(await answered(world, world.gate, body));
  },
  async parallel(world, { steps = [], count = 0 }) {
    const calls = Array.from({ length: count }, (_, index) =>
      world.call(`c${index}`, "delete_note", { id: `n${index}` }),
    );
    const gates = [world.gate, world.beside];
    const others = steps.map((step, index) =>
      step.op === "decide" ? decide(world, step, gates[index % 2]) : play(world, [step]),
    );
    await Promise.all([...calls, ...others]);
  },
  async pending(world) {
    world.listed = await pending(world);
  },
  async as(world, { user }) {
    world.user = user;
  },
  restart: (world) => world.restart(),
  async startRun(world) {
    world.runActive = true;
  },
  async resumeRun() {},
  async cancelRun(world) {
    world.here.stop.abort();
    await world.settled();
  },
  async closeSession(world) {
    await world.gate.cancelSession(world.session, { context: { user: world.user } });
    await world.settled();
  },
  /** Not for a time, but for what is to happen in it: the tool's start, or a deadline. A slow store is not waited for. */
  async wait(world, { ms }) {
    if (world.held) return until(() => world.executed.length > 0, "the tool is started");
    if (world.busy) return;
    await world.advance(ms);
    await world.settled();
  },
  saveLoad: (world, { extraField }) => world.rewrite("c1", extraField),
  /** A call in another session, which alone must have it. */
  async session(world, { id }) {
    const before = world.session;
    world.session = id;
    await world.call("other", "delete_note", { id: "n1" });
    assert.deepEqual(
      (await pending(world)).map(({ sessionId, toolCallId }) => [sessionId, toolCallId]),
      [[id, "other"]],
    );
    world.session = before;
  },
};

/** A decision as the host itself or a client of the route sends it. */
export async function decide(world: World, step: Decide, gate: Gate = world.gate): Promise<void> {
  const { id, approved, reason, remember, edited } = step;
  const said = {
    confirmationId: id,
    approved,
    ...(reason !== undefined && { note: reason }),
    ...(remember && { remember }),
    // An edit that names a tool is sent as it is: no such field is known.
    ...(edited && (edited.tool === undefined ? { editedArguments: edited.args } : { edited })),
  };
  if (world.setup.by === "HTTP") {
    world.decided.push(await answered(world, gate, JSON.stringify({ threadId: world.session, ...said })));
    return;
  }
  const decision = { sessionId: world.session, ...said } as unknown as Decision;
  world.decided.push(await gate.decide(decision, { context: { user: world.user } }).catch(codeOf));
}

/** What is open, by the host itself or by the route. */
export async function pending(world: World): Promise<PendingItem[]> {
  if (world.setup.by === "host") return world.gate.pending(world.session, { context: { user: world.user } });
  const query = new URLSearchParams({ threadId: world.session });
  const response = await handler(world, world.gate)(new Request(`http://localhost/ack/confirmations?${query}`));
  assert.equal(response.status, 200);
  return JSON.parse(await response.text());
}

async function answered(world: World, gate: Gate, body: string): Promise<World["decided"][number]> {
  const response = await handler(world, gate)(post("/ack/confirmation", body));
  const answer = JSON.parse(await response.text());
  return response.ok ? answer : answer.error.code;
}

function handler(world: World, gate: Gate) {
  const { user } = world;
  return gate.handler({ identify: () => ({ user }) });
}
