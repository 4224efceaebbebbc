// The report about a whole turn that breaks off: it needs the agent's thread, as an AG-UI host has it.
import assert from "node:assert/strict";
import type { Message, RunAgentInput } from "@ag-ui/client";
import type { Gate } from "ackgate";
import { agentHandler } from "ackgate/agui";
import {
  follow,
  input,
  post,
  runFinished,
  runStarted,
  ScriptedAgent,
  toolCall,
  toolResult,
  until,
} from "./agui-fakes.ts";
import { BLOCK } from "./agui-mount.ts";
import { play, type Step, type StepOf } from "./cases-steps.ts";
import type { Own } from "./cases-wants.ts";
import type { World } from "./cases-world.ts";

interface Thread {
  /** What the agent was given at the start of its runs. */
  readonly given: RunAgentInput[];
}
const threads = new WeakMap<World, Thread>();

/** The agent in one process: its first run makes the calls of the report, all at once; a later one only ends. */
function mount(world: World, gate: Gate, calls: readonly StepOf<"toolCall">[], { given }: Thread) {
  const agent = new ScriptedAgent(async (each, emit) => {
    given.push(each);
    emit(runStarted(each));
    if (each.messages.some(({ role }) => role === "tool")) return emit(runFinished(each));
    for (const { id, tool, args } of calls)
      for (const event of toolCall(id, tool, JSON.stringify(args), "m1")) emit(event);
    const all = calls.map(async ({ id, tool, args }) => {
      const { content } = await gate.execute({ toolCallId: id, toolName: tool, arguments: JSON.stringify(args) });
      emit(toolResult(id, content));
    });
    await Promise.all(all);
    emit(runFinished(each));
  });
  return agentHandler(agent, gate, { ...BLOCK, identify: () => ({ user: world.user }), heartbeatMs: 0 });
}

export const THREAD: Readonly<Record<string, Own>> = {
  "A2-014": {
    plays: {
      "the process dies in the turn": async (world, steps) => {
        const calls = steps.filter((step): step is StepOf<"toolCall"> => step.op === "toolCall");
        const thread: Thread = { given: [] };
        threads.set(world, thread);
        world.hold();
        const run = input({ threadId: world.session, messages: [{ id: "u1", role: "user", content: "tidy up" }] });
        const stream = follow(await mount(world, world.gate, calls, thread)(post("/agui", run)));
        await until(
          () => world.executed.length === 1 && stream.types().filter((type) => type === "CUSTOM").length === 2,
        );
        await world.kill();
        await stream.leave();
        await world.release();
        mount(world, world.gate, calls, thread);
        const behind = steps.slice(steps.findIndex(({ op }) => op === "restart") + 1);
        await play(world, behind as Step[]);
      },
    },
    wants: {
      history(world) {
        const [, resumed, ...more] = threads.get(world)?.given ?? [];
        assert.deepEqual(more, []);
        const messages = resumed?.messages as Message[];
        const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
        assert.deepEqual(
          calls.map(({ id }) => id),
          ["c1", "c2", "c3"],
        );
        const results = messages.flatMap((message) => (message.role === "tool" ? [message] : []));
        const contents = Object.fromEntries(results.map(({ toolCallId, content }) => [toolCallId, String(content)]));
        assert.equal(results.length, 3);
        assert.equal(contents.c1, '"delete_note was run"');
        assert.match(contents.c2 ?? "", /outcome of this call is unknown/);
        assert.match(contents.c3 ?? "", /declined/);
      },
      executions: ({ executed }) =>
        assert.deepEqual(
          executed.map(({ id }) => id),
          ["c2", "c1"],
        ),
    },
  },
};
