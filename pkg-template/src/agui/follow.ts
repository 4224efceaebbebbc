import type { RunAgentInput } from "@ag-ui/client";
import { AckError, messageOf } from "../error.js";
import type { HostSide } from "../internal.js";
import type { SessionKey } from "../types.js";
import { customCard, drawing } from "./card-messages.js";
import type { Cards } from "./cards.js";
import { type AnyEvent, finished, isTerminal, started, text } from "./events.js";
import { readHead } from "./head.js";
import { type Joined, opened } from "./join.js";
import { Open } from "./open.js";
import type { Runs } from "./runs.js";
import { joinStored } from "./tail.js";

/** So long a follow waits for the run that carries on after a decision. */
const RESUME_WAIT_MS = 30_000;
const LOST: AnyEvent = { type: "RUN_ERROR", message: "the run stopped without an end: its process is gone" };

export interface Following {
  readonly host: HostSide;
  readonly runs: Runs;
  readonly session: SessionKey;
  readonly cards: Cards;
  readonly input: RunAgentInput;
  /** The request named a protocol version. */
  readonly declared: boolean;
}

/** The thread's active run, here or in another process. */
export async function activeRun({ host, runs, session }: Following, stop: AbortSignal): Promise<Joined | undefined> {
  const local = runs.find(session);
  if (local !== undefined) return local.join(stop);
  const found = await readHead(host, session);
  return found?.active ? joinStored(host, session, found.head, stop) : undefined;
}

/**
 * One run for its client, whatever it is made of here: it ends with the terminal event of the run that was joined, or,
 * where everything in the thread is decided and waits to be carried on, with that of the recovery's run.
 */
export async function* follow(following: Following, first: Joined, stop: AbortSignal): AsyncGenerator<AnyEvent> {
  const { host, cards, input, declared } = following;
  try {
    yield started(input);
    const seen = new Set([first.run, (await readHead(host, following.session))?.head.run]);
    const open = new Open(new Set());
    for (let joined: Joined | undefined = first; joined !== undefined; ) {
      let terminal: AnyEvent | undefined;
      for await (const event of joinedEvents(following, joined, open)) {
        if (isTerminal(event)) terminal = event;
        else yield event;
      }
      if (stop.aborted) return;
      if (terminal === undefined) host.closing.throwIfAborted();
      seen.add(joined.run);
      // No end: events are missing, and a newer snapshot stands for them.
      const again: Joined | undefined = terminal ? undefined : await sameRun(following, joined.run, stop);
      if (again !== undefined) {
        joined = again;
        continue;
      }
      const end = terminal ?? LOST;
      const outcome = await cards.outcome(end.outcome, declared);
      joined = isWaiting(outcome) ? undefined : await recoveryRun(following, seen, stop);
      if (joined !== undefined) continue;
      if (stop.aborted) return;
      if (end.type === "RUN_ERROR") return void (yield end);
      for (const each of open.ends) yield each;
      const { outcome: _, ...rest } = end;
      yield { ...rest, ...finished(input), ...(outcome !== undefined && { outcome }) };
    }
  } catch (error) {
    if (stop.aborted) return;
    host.logger.warn("a follow ended early", { sessionId: input.threadId, error: messageOf(error) });
    const known = AckError.is(error);
    yield {
      type: "RUN_ERROR",
      message: known ? error.message : "the run cannot be followed",
      ...(known && { code: error.code }),
    };
  }
}

/** The snapshot, what is open in it, and what happens from there on to the terminal event. */
async function* joinedEvents({ host, cards }: Following, joined: Joined, open: Open): AsyncGenerator<AnyEvent> {
  for (const end of open.ends) {
    open.apply(end);
    yield end;
  }
  const { messages, reopening } = opened(joined);
  const shown = await cards.refreshed(messages);
  yield { type: "MESSAGES_SNAPSHOT", messages: shown };
  for (const event of reopening) {
    open.apply(event);
    yield event;
  }
  const drawn = new Set(shown.flatMap(({ id, activityType }) => (activityType === "CUSTOM" ? [id] : [])));
  for await (const event of joined.events) {
    // To the client all of it is one run.
    if (event.type === "RUN_STARTED") continue;
    open.apply(event);
    yield event;
    if (isTerminal(event)) return;
    // The card's message came with the snapshot, where a custom event alone does not reach it.
    const card = customCard(event, host.eventName);
    if (card !== undefined && drawn.has(card.id)) yield drawing(card);
  }
}

/** The run from what is stored by now, unless its process is gone. */
async function sameRun({ host, session }: Following, run: string, stop: AbortSignal): Promise<Joined | undefined> {
  const found = await readHead(host, session);
  if (found?.head.run !== run || (!found.active && found.head.over === undefined)) return undefined;
  return joinStored(host, session, found.head, stop);
}

/** The run that carries on after a recovery: there already, or on its way. */
async function recoveryRun(
  following: Following,
  seen: ReadonlySet<string | undefined>,
  stop: AbortSignal,
): Promise<Joined | undefined> {
  const { host, runs, session, cards } = following;
  const until = host.clock.now() + RESUME_WAIT_MS;
  for await (const _ of host.changes(session, stop)) {
    const local = runs.find(session);
    if (local?.recovered && !seen.has(local.key)) return local.join(stop);
    const head = (await readHead(host, session))?.head;
    if (head?.recovered && !seen.has(head.run)) return joinStored(host, session, head, stop);
    if (host.clock.now() >= until || !(await cards.resuming())) return undefined;
  }
  return undefined;
}

function isWaiting(outcome: unknown): boolean {
  return text((outcome ?? {}) as AnyEvent, "type") === "interrupt";
}
