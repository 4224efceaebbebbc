import { every, insist } from "./clock.js";
import { tolerant } from "./endings.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import type { House } from "./house.js";
import { stoppable } from "./signals.js";
import type { Context, ResumeRunner, RunAgentInput, SessionKey } from "./types.js";
import type { Resumption, View } from "./wasm/types.js";

/** Who carries on after a recovery, and what it knows of active runs. */
export interface Bound {
  readonly runner: ResumeRunner;
  readonly runActive?: ((session: SessionKey) => boolean) | undefined;
}

/**
 * Starts the run again with what was carried out without it: once, however many want to. Returns when the run was seen
 * to start; the run itself goes on alone. With siblings still open nothing starts yet, unless each is resumed alone.
 */
export async function resumeRun(
  house: House,
  bound: Bound,
  key: SessionKey,
  view: View,
  context: Context,
): Promise<void> {
  const waiting = await results(house, key, view);
  if (await startOnce(house, bound, key, waiting, context)) return;
  const now = await house.records.view(key, view.payload.confirmationId);
  return now && !now.delivered ? resumeRun(house, bound, key, now, context) : undefined;
}

/** Starts one run with these results, if nobody has. False: another call of this instance was starting it, and is done. */
export async function startOnce(
  house: House,
  bound: Bound,
  key: SessionKey,
  waiting: readonly View[],
  context: Context,
): Promise<boolean> {
  const first = waiting[0]?.payload.confirmationId;
  if (first === undefined) return true;
  const leave = house.holds.take(key, `r:${first}`);
  if (!leave) {
    await house.holds.free(key, `r:${first}`);
    return false;
  }
  try {
    await resumeClaimed(house, bound, key, first, waiting, context);
    return true;
  } finally {
    leave();
  }
}

/** Carried out without its run, which has not got the result yet. */
export function undelivered(view: View): boolean {
  return view.stage === "settled" && view.recovered && !view.delivered;
}

/** What the run has to be given; nothing while it has open questions. */
async function results(house: House, key: SessionKey, view: View): Promise<View[]> {
  const siblings = siblingsOf(house, await house.records.views(key), view);
  if (siblings.some((each) => each.stage !== "settled")) return [];
  return siblings.filter(undelivered);
}

/** What is given to a run together with `view`. Without a run's id nobody knows a call's siblings. */
export function siblingsOf(house: House, views: readonly View[], view: View): View[] {
  const { runId } = view.payload;
  if (house.settings.resume === "each" || runId === undefined) return [view];
  return views.filter((each) => each.payload.runId === runId);
}

async function resumeClaimed(
  house: House,
  bound: Bound,
  key: SessionKey,
  id: string,
  waiting: readonly View[],
  context: Context,
): Promise<void> {
  const { records, instance: owner, settings } = house;
  const confirmationIds = waiting.map((each) => each.payload.confirmationId);
  const start = { type: "start", owner, confirmationIds, runId: engine.freshId() } as const;
  const started = await tolerant(records.changeResumption(key, id, start));
  if (!started) {
    // Another process started it; where that one died before it noted so at the calls, this one does.
    if ((await records.resumption(key, id))?.delivered) await noteDelivered(house, key, confirmationIds);
    return;
  }
  const stopRenewing = every(settings.clock, settings.leaseMs / 3, () =>
    records.changeResumption(key, id, { type: "renew", owner }).then(
      () => true,
      (error: unknown) => !AckError.is(error) || error.code !== "taken_over",
    ),
  );
  try {
    await stoppable(house.running(startRun(house, bound.runner, inputOf(key, started, waiting), context)), [
      house.closing,
    ]);
  } catch (error) {
    await tolerant(records.changeResumption(key, id, { type: "release", owner }));
    house.closing.throwIfAborted();
    if (AckError.is(error)) throw error;
    settings.logger.error("a run could not be resumed", { error: messageOf(error), runId: started.runId });
    const text = "the result is kept, but the run could not be started: decide again to try once more";
    throw new AckError("run_active", text, { cause: error });
  } finally {
    stopRenewing();
  }
  // The run has started: that it was noted late or never must not start it again.
  await insist(settings, () => records.changeResumption(key, id, { type: "deliver", owner }));
  await insist(settings, () => noteDelivered(house, key, confirmationIds));
}

/** Notes that the thread has these results. INVARIANT: the first one last: as long as one is not noted, all who look find the resumption, which has its id. */
async function noteDelivered(house: House, key: SessionKey, confirmationIds: readonly string[]): Promise<void> {
  for (const id of [...confirmationIds].reverse()) await house.records.change(key, id, { type: "deliver" });
}

function inputOf(key: SessionKey, { runId }: Resumption, waiting: readonly View[]): RunAgentInput {
  return {
    threadId: key.session,
    runId,
    messages: waiting.map(({ payload: { toolCallId }, result }) => ({
      id: `result:${toolCallId}`,
      role: "tool",
      toolCallId,
      content: result ?? "null",
    })),
    tools: [],
    context: [],
    forwardedProps: { ack: { settled: waiting.map((each) => each.payload) } },
  };
}

/** Resolves when RUN_STARTED was seen, rejects when the stream ends before it; drains the rest in the background. */
function startRun(house: House, runner: ResumeRunner, input: RunAgentInput, context: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    let started = false;
    const seen = (event: unknown): void => {
      const { type, message } = (event ?? {}) as { type?: unknown; message?: unknown };
      if (type === "RUN_STARTED") {
        started = true;
        resolve();
      }
      if (type === "RUN_ERROR") failed(new Error(String(message ?? "RUN_ERROR")));
    };
    const failed = (error: unknown): void => {
      if (!started) reject(error);
      else house.settings.logger.error("a resumed run failed", { error: messageOf(error), runId: input.runId });
    };
    const ended = (): void => {
      if (!started) reject(new Error("the run ended before it had started"));
    };
    const drain = async (): Promise<void> => {
      const events = await runner.run(input, context);
      if (Symbol.asyncIterator in events) {
        for await (const event of events as AsyncIterable<unknown>) seen(event);
        ended();
      } else {
        (events as { subscribe(observer: object): unknown }).subscribe({ next: seen, error: failed, complete: ended });
      }
    };
    drain().catch(failed);
  });
}
