import type { RunAgentInput } from "@ag-ui/client";
import { bad, Fields, readObject } from "../http/body.js";
import type { HostSide } from "../internal.js";
import type { Context, Gate } from "../types.js";
import { Cards } from "./cards.js";
import { finished, started } from "./events.js";
import { sourceOf } from "./feed.js";
import { activeRun, type Following, follow } from "./follow.js";
import { readHead } from "./head.js";
import { readHistory } from "./history.js";
import { INPUT_LIMIT } from "./input.js";
import { declares } from "./lines.js";
import type { Runs } from "./runs.js";
import { eventList, eventStream } from "./sse.js";

interface Setup {
  readonly gate: Gate;
  readonly host: HostSide;
  readonly runs: Runs;
  readonly heartbeatMs: number;
}

/** A thread's messages; with `forwardedProps.follow` and an active run also what happens to the run's end. */
export function historyRoute({ gate, host, runs, heartbeatMs }: Setup) {
  return async (request: Request, context: Context): Promise<Response> => {
    const body = new Fields(await readObject(request, INPUT_LIMIT));
    const input = { threadId: body.id("threadId"), runId: body.id("runId") } as RunAgentInput;
    const session = await host.key(input.threadId, context);
    const declared = declares({ protocolVersion: body.get("protocolVersion") });
    const cards = new Cards(gate, host, session, context);
    const following: Following = { host, runs, session, cards, input, declared };
    if (wantsFollow(body)) {
      const left = new AbortController();
      const run = await activeRun(following, left.signal);
      if (run !== undefined) {
        const source = sourceOf((stop) => {
          stop.addEventListener("abort", () => left.abort());
          return follow(following, run, left.signal);
        });
        return eventStream(source, host.clock, heartbeatMs);
      }
    }
    return eventList(await snapshot(following));
  };
}

async function snapshot({ host, runs, session, cards, input, declared }: Following) {
  // Asked before the read: a run that is over by now has stored everything.
  const running = runs.find(session) !== undefined || (await readHead(host, session))?.active === true;
  const stored = await readHistory(host, session);
  const messages = await cards.refreshed(stored.messages);
  const outcome = running ? undefined : await cards.outcome(stored.outcome, declared);
  const fields = { result: { running }, ...(outcome !== undefined && { outcome }) };
  return [started(input), { type: "MESSAGES_SNAPSHOT", messages }, finished(input, fields)];
}

function wantsFollow(body: Fields): boolean {
  const props = body.get("forwardedProps") as { follow?: unknown } | null | undefined;
  const wanted = props?.follow ?? false;
  if (typeof wanted !== "boolean") throw bad("`forwardedProps.follow` must be true or false");
  return wanted;
}
