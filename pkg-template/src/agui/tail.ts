import type { HostSide } from "../internal.js";
import type { SessionKey } from "../types.js";
import { batchesAfter } from "./batches.js";
import type { AnyEvent } from "./events.js";
import { type Head, readHead } from "./head.js";
import { readHistory } from "./history.js";
import type { Joined } from "./join.js";

/** Joins a run by what its process stores. */
export async function joinStored(
  host: HostSide,
  session: SessionKey,
  { run, recovered, over }: Head,
  stop: AbortSignal,
): Promise<Joined> {
  const { messages, at } = await readHistory(host, session);
  const here = at?.run === run ? at : { seq: 0, open: [] };
  if (over !== undefined) return { run, recovered, messages, open: [], events: only(over.event) };
  return { run, recovered, messages, open: here.open, events: storedEvents(host, session, run, here.seq, stop) };
}

/** The run's events after `seq`, to its terminal one; none where it died, or where events are missing. */
async function* storedEvents(
  host: HostSide,
  session: SessionKey,
  run: string,
  seq: number,
  stop: AbortSignal,
): AsyncGenerator<AnyEvent> {
  let cursor = seq;
  for await (const _ of host.changes(session, stop)) {
    // Read before the events: a run that is over has stored them all.
    const found = await readHead(host, session);
    let complete = true;
    for (const { from, to, events } of await batchesAfter(host, session, run, cursor)) {
      complete = from <= cursor + 1;
      if (!complete) break;
      for (const [at, event] of events) if (at > cursor) yield event;
      cursor = to;
    }
    if (found?.head.run !== run) return;
    const { over } = found.head;
    if (over?.seq === cursor) yield over.event;
    if (over !== undefined || !found.active) return;
    // The stored messages are beyond what is missing: joining again gives a newer snapshot.
    if (!complete && ((await readHistory(host, session)).at?.seq ?? 0) > cursor) return;
  }
}

async function* only(event: AnyEvent): AsyncGenerator<AnyEvent> {
  yield event;
}
