import { auditSettled } from "./audit.js";
import type { Scope } from "./calls.js";
import { insist, within } from "./clock.js";
import { fireTerminal, refusalFor, tell, tolerant } from "./endings.js";
import { messageOf } from "./error.js";
import type { House } from "./house.js";
import { type Ran, runTool } from "./results.js";
import type { Seat } from "./seat.js";
import { settleSiblings } from "./siblings.js";
import { stoppable } from "./signals.js";
import type { Run } from "./tools.js";
import type { CallInfo, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** How an approved call is carried out: by the run that waits (`scope`), or without one. */
export interface Carrying {
  readonly key: SessionKey;
  readonly view: View;
  readonly seat: Seat;
  readonly scope: Scope;
  readonly recovery: boolean;
  /** Absent: there is no such tool any more. */
  readonly run: Run | undefined;
}

/** Claims an approved call, runs it and stores the result; undefined when another writer was first or the run stopped. */
export async function carry(
  house: House,
  { key, view, seat, scope, recovery, run }: Carrying,
): Promise<Ran | undefined> {
  const { records, settings, instance } = house;
  const { confirmationId } = view.payload;
  await remember(house, key, view, scope);
  if (stopped(house, scope)) return undefined;
  const sent = performance.now();
  const claimed = await tolerant(records.change(key, confirmationId, { type: "claim", owner: instance, recovery }));
  if (!claimed) return undefined;
  seat.fence = claimed.view.fence;
  tell(house, scope, claimed);
  fireTerminal(house, claimed, scope.context);
  // A claim that took so long may be near its end; who can't renew it must not start.
  if (performance.now() - sent > settings.leaseMs / 2) await seat.renew();
  const ran: Ran = run
    ? await runTool(run, view.arguments, infoOf(claimed.view, scope), settings.limits.resultBytes)
    : { execution: "none", detail: "there is no tool of this name" };
  const result = ran.execution === "ran" ? ran.content : failed(house, view, ran.detail);
  const finish = { type: "finish", owner: instance, fence: seat.fence, execution: ran.execution, result } as const;
  // INVARIANT: a record that another instance settled since is not overwritten: the reducer refuses the fence.
  try {
    const { view: finished } = await insist(settings, () => records.change(key, confirmationId, finish));
    auditSettled(house, finished, ran.execution);
  } catch (error) {
    auditSettled(house, claimed.view, "late");
    throw error;
  }
  return ran;
}

/** Saves what the person wants remembered, before the run goes on. A failing source costs the memory, not the call. */
export async function remember(house: House, key: SessionKey, view: View, { context, signal }: Scope): Promise<void> {
  const { grants, clock, sourceTimeoutMs, storeTimeoutMs, logger } = house.settings;
  const { grant } = view;
  if (!grant || !grants) return;
  const limit = sourceTimeoutMs ?? storeTimeoutMs;
  try {
    const saved = stoppable(
      Promise.resolve().then(() => grants.save(grant, context)),
      [signal, house.closing],
    );
    await within(clock, limit, saved, () => {
      throw new Error(`no answer within ${limit} ms`);
    });
    settleSiblings(house, key, context);
  } catch (error) {
    const fields = { tool: view.payload.toolName, error: messageOf(error) };
    logger.error("a grant could not be saved, the next call asks again", fields);
  }
}

/** Nothing is begun for a run that was stopped or on a gate that is closing. */
export function stopped(house: House, scope: Scope): boolean {
  return scope.signal?.aborted === true || house.closing.aborted;
}

function failed(house: House, view: View, detail: string): string {
  return refusalFor(house, view, { kind: "unavailable", toolName: view.payload.toolName, detail });
}

/** What a tool hears about an approved call, the same live and after a restart. */
function infoOf({ payload, fence }: View, scope: Scope): CallInfo {
  const { sessionId, confirmationId, toolCallId, parents, runId } = payload;
  return { ...commonInfo(sessionId, confirmationId, scope), fence, toolCallId, parents, runId: scope.runId ?? runId };
}

/** The part that calls nobody had to confirm have too. */
export function commonInfo(sessionId: string, id: string, { signal, context }: Scope) {
  const idempotencyKey = `${encodeURIComponent(sessionId)}/${encodeURIComponent(id)}`;
  return { idempotencyKey, sessionId, signal: signal ?? new AbortController().signal, context };
}
