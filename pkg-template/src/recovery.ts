import { callOf, lose, refuse, refusedAgain, remember, tolerant } from "./confirmations.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import type { House } from "./house.js";
import { failed, finish } from "./live.js";
import { runTool } from "./results.js";
import type { CallInfo, Context, ResumeRunner, RunAgentInput, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** Who carries on after a recovery, and what it knows of active runs. */
export interface Bound {
  readonly runner: ResumeRunner;
  readonly runActive?: ((session: SessionKey) => boolean) | undefined;
}

/** Throws what stands in the way of a recovery, before anything is consumed. */
export async function checkRecoverable(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  context: Context,
): Promise<Bound> {
  if (!bound)
    throw new AckError(
      "not_bound",
      "no run waits for this confirmation and no runner is bound: call `resumeWith` or `wrapAgent` first",
    );
  if (house.settings.state.durable === false) {
    throw new AckError(
      "not_bound",
      "the session store may lose writes, so calls without their run are not carried out",
    );
  }
  if (bound.runActive?.(key) || (await house.settings.runActive?.(key.session, context))) {
    throw new AckError("run_active", "a run is active on this session: decide again when it has ended");
  }
  return bound;
}

/** Carries a decided confirmation out for a run that is gone. Gives its record, settled, whoever settled it. */
export async function recover(house: House, key: SessionKey, view: View, context: Context): Promise<View> {
  const { records, instance, settings } = house;
  const { confirmationId } = view.payload;
  if (view.stage === "executing") await tolerant(lose(house, key, confirmationId, view));
  else if (
    view.decision === "denied" ||
    (await refusedAgain(house, view, { sessionId: view.payload.sessionId, context }))
  ) {
    await tolerant(refuse(house, key, confirmationId, view, true));
  } else {
    const tool = await house.tool(callOf(view), context);
    await remember(house, view, context);
    const claimed = await tolerant(
      records.change(key, confirmationId, { type: "claim", owner: instance, recovery: true }),
    );
    if (claimed) {
      const { fence } = claimed.view;
      const result = tool
        ? await house.running(
            runTool(tool.run, view.arguments, infoOf(view, fence, context), settings.limits.resultBytes),
          )
        : undefined;
      if (result) await finish(house, key, confirmationId, fence, result, view);
      else await unavailable(house, key, view, fence);
    }
  }
  return (await records.until(
    key,
    confirmationId,
    (now) => (now?.stage === "settled" || now?.live === false ? now : undefined),
    house.closing,
  )) as View;
}

/** There is no such tool any more: the approval can't be carried out, and the model is told. */
async function unavailable(house: House, key: SessionKey, view: View, fence: number): Promise<void> {
  const result = failed(house, view, "there is no tool of this name");
  await house.records.change(key, view.payload.confirmationId, {
    type: "finish",
    owner: house.instance,
    fence,
    execution: "none",
    result,
  });
}

/** Carries on, in the background, with what dead owners left: every reader does it. */
export function carryOnOrphans(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  views: readonly View[],
  context: Context,
): void {
  for (const view of views) {
    const orphan = !view.live && !view.parked && (view.stage === "decided" || view.stage === "executing");
    if (!orphan && !(view.recovered && view.stage === "settled" && !view.delivered)) continue;
    house
      .running(carryOn(house, bound, key, view, context))
      .catch((error: unknown) =>
        house.settings.logger.warn("an orphan could not be carried on with", { error: messageOf(error) }),
      );
  }
}

async function carryOn(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  view: View,
  context: Context,
): Promise<void> {
  const free = await checkRecoverable(house, bound, key, context);
  const settled = view.stage === "settled" ? view : await recover(house, key, view, context);
  if (settled.recovered && !settled.delivered) await resumeRun(house, free, key, settled, context);
}

function infoOf(view: View, fence: number, context: Context): CallInfo {
  const { sessionId, confirmationId, parents, toolCallId, runId } = view.payload;
  // The signal is nobody's: the client that decided may hang up, the call goes on.
  return {
    idempotencyKey: `${sessionId}/${confirmationId}`,
    fence,
    parents,
    toolCallId,
    sessionId,
    runId,
    signal: new AbortController().signal,
    context,
  };
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
  const { records, instance, settings } = house;
  const { runId, sessionId, confirmationId } = view.payload;
  const siblings = (await records.views(key)).filter((each) => each.payload.runId === runId);
  if (settings.resume !== "each" && siblings.some((each) => each.stage !== "settled")) return;
  const waiting = settings.resume === "each" ? [view] : siblings.filter((each) => each.recovered && !each.delivered);
  const first = waiting[0]?.payload.confirmationId ?? confirmationId;
  const confirmationIds = waiting.map((each) => each.payload.confirmationId);
  const started = await tolerant(
    records.changeResumption(key, first, { type: "start", owner: instance, confirmationIds, runId: engine.freshId() }),
  );
  if (!started) return;
  const input: RunAgentInput = {
    threadId: sessionId,
    runId: started.runId,
    messages: waiting.map((each) => ({
      id: `result:${each.payload.toolCallId}`,
      role: "tool",
      toolCallId: each.payload.toolCallId,
      content: each.result ?? "null",
    })),
    tools: [],
    context: [],
    forwardedProps: { ack: { settled: waiting.map((each) => each.payload) } },
  };
  try {
    await house.running(startRun(house, bound.runner, input, context));
  } catch (error) {
    await records.changeResumption(key, first, { type: "release", owner: instance });
    if (AckError.is(error)) throw error;
    throw new AckError(
      "run_active",
      "the result is kept, but the run could not be started: decide again to try once more",
      { cause: error },
    );
  }
  await records.changeResumption(key, first, { type: "deliver", owner: instance });
  for (const id of confirmationIds) await records.change(key, id, { type: "deliver" });
}

/** Resolves when RUN_STARTED was seen; drains the rest in the background. */
function startRun(house: House, runner: ResumeRunner, input: RunAgentInput, context: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    const seen = (event: unknown): void => {
      const type = (event as { type?: unknown } | null)?.type;
      if (type === "RUN_STARTED") resolve();
      if (type === "RUN_ERROR") failedToStart(new Error((event as { message?: string }).message ?? "RUN_ERROR"));
    };
    const failedToStart = (error: unknown): void => {
      house.settings.logger.error("a resumed run failed", { error: messageOf(error), runId: input.runId });
      reject(error);
    };
    const drain = async (): Promise<void> => {
      const events = await runner.run(input, context);
      if (Symbol.asyncIterator in events) {
        for await (const event of events as AsyncIterable<unknown>) seen(event);
        resolve();
      } else {
        (events as { subscribe(observer: object): unknown }).subscribe({
          next: seen,
          error: failedToStart,
          complete: resolve,
        });
      }
    };
    drain().catch(failedToStart);
  });
}
