import type { AbstractAgent, RunAgentInput } from "@ag-ui/client";
import { AckError } from "../error.js";
import { Fields, readObject } from "../http/body.js";
import { json } from "../http/respond.js";
import { createRouter, normalBase } from "../http/router.js";
import { checked } from "../http.js";
import { hostOf } from "../internal.js";
import type { Context, Gate, Handler, HandlerOptions, ResumeRunner } from "../types.js";
import { eventsOf } from "./feed.js";
import { historyRoute } from "./history-route.js";
import { INPUT_LIMIT, readInput } from "./input.js";
import { spokenTo } from "./lines.js";
import { checkWrapOptions, type RunStyle, WRAP_OPTIONS, type WrapOptions } from "./options.js";
import { Runs } from "./runs.js";
import { eventStream } from "./sse.js";
import { unwrapped } from "./wrap.js";

export type AgentHandlerOptions = HandlerOptions &
  WrapOptions & {
    /** Default "/agui". */
    agui?: string | undefined;
    /** How often an open stream is kept awake, in ms. Default 15000; 0 is never. */
    heartbeatMs?: number | undefined;
  };

/** Everything a browser needs, in one fetch handler: POST {agui}, {agui}/history, {agui}/cancel, and the gate's own routes. One run per thread; a run outlives its connection. */
export function agentHandler(agent: AbstractAgent, gate: Gate, options: AgentHandlerOptions): Handler {
  const style = check(options);
  const { identify, base, publicPolicy, agui = "/agui", heartbeatMs = 15_000 } = options;
  const host = hostOf(gate);
  if (options.context !== undefined)
    host.logger.warn("`context` is not used by `agentHandler`: `identify` says who asks");
  const runs = new Runs({ gate, agent: unwrapped(agent, gate), style });
  host.bind(resumeRunner(), (session) => runs.find(session) !== undefined);

  const path = normalBase(agui);
  const own = createRouter(
    [
      { path: path || "/", method: "POST", serve: run },
      { path: `${path}/history`, method: "POST", serve: historyRoute({ gate, host, runs, heartbeatMs }) },
      { path: `${path}/cancel`, method: "POST", serve: cancel },
    ],
    { identify, logger: host.logger },
  );
  const gates = gate.handler({ identify, base, publicPolicy });
  const handler = (request: Request) => (own.matches(request) ? own(request) : gates(request));
  const matches = (target: Request | string) => own.matches(target) || gates.matches(target);
  return Object.assign(handler, { matches });

  async function run(request: Request, context: Context): Promise<Response> {
    const input = await readInput(request);
    const session = await host.key(input.threadId, context);
    const { feed } = runs.start({ session, input, context, recovered: false });
    return eventStream(spokenTo(input, feed), host.clock, heartbeatMs);
  }

  async function cancel(request: Request, context: Context): Promise<Response> {
    const threadId = new Fields(await readObject(request, INPUT_LIMIT)).id("threadId");
    const active = runs.find(await host.key(threadId, context));
    if (active === undefined) throw new AckError("not_found", "no run of this thread is active");
    await active.cancel();
    return json(200, { canceled: true });
  }

  function resumeRunner(): ResumeRunner {
    return {
      async run(asked, context) {
        const input = { state: {}, forwardedProps: {}, ...asked } as unknown as RunAgentInput;
        const session = await host.key(input.threadId, context);
        return eventsOf(runs.start({ session, input, context, recovered: true }).feed);
      },
    };
  }
}

function check(options: AgentHandlerOptions): RunStyle {
  const style = checkWrapOptions("`agentHandler`", options, [
    ...WRAP_OPTIONS,
    "identify",
    "base",
    "publicPolicy",
    "agui",
    "heartbeatMs",
  ]);
  const { agui, heartbeatMs } = checked(options);
  if (agui !== undefined && typeof agui !== "string") {
    throw new AckError("bad_options", '`agui` must be a path like "/agui"');
  }
  if (heartbeatMs !== undefined && !(Number.isFinite(heartbeatMs) && heartbeatMs >= 0)) {
    throw new AckError("bad_options", "`heartbeatMs` must be a number of milliseconds, 0 for none");
  }
  return style;
}
