import { type Prepared, withInput } from "./calls.js";
import {
  attend,
  type Confirm,
  callOf,
  emit,
  type Opened,
  open,
  RunStopped,
  remember,
  tolerant,
} from "./confirmations.js";
import { messageOf } from "./error.js";
import type { House } from "./house.js";
import type { Owner } from "./judge.js";
import { type Ran, runTool } from "./results.js";
import { storedDenial } from "./texts.js";
import type { Basis, CallInfo, Denial, SessionKey } from "./types.js";
import type { Refusal, View } from "./wasm/types.js";

export type Run = (args: object, info: CallInfo) => unknown;
/** How a call ended that needed a person. */
export type Ended =
  | { readonly ended: "ran"; readonly ran: Ran }
  | { readonly ended: "handedOver"; readonly view: View }
  | { readonly ended: "stored"; readonly content: string }
  | { readonly ended: "denied"; readonly denial: Denial; readonly basis: Basis | "human" };
/** What happens to an approved call: `run` it, or hand it to the caller. */
export type Work = { readonly run: Run; readonly idempotent?: boolean | undefined } | "handOver";

/** Asks a person about a call and carries the answer out in this run. */
export async function ask(
  house: House,
  prepared: Prepared,
  asked: Confirm,
  owner: Owner,
  key: SessionKey,
  work: Work,
): Promise<Ended> {
  if (house.settings.interactive === false) return denied(house, prepared, "no-human", { kind: "noHuman" });
  let question: Opened;
  try {
    question = await open(house, prepared, asked, owner, key, {
      wait: true,
      ...(work !== "handOver" && { idempotent: work.idempotent }),
    });
  } catch (error) {
    house.settings.logger.error("a confirmation could not be recorded, the call is refused", {
      tool: prepared.call.toolName,
      error: messageOf(error),
    });
    return denied(house, prepared, "persist-failed", { kind: "persistFailed" });
  }
  const { role, view } = question;
  if (role === "refused") {
    const detail = "a call with this id was asked about before and its approval was used";
    return denied(house, prepared, "duplicate", { kind: "unavailable", toolName: prepared.call.toolName, detail });
  }
  if (role === "own" && view.stage === "pending") await emit(house, prepared.scope, view.payload);
  try {
    const { view: last, done } = await attend(house, question, prepared.scope, (now) =>
      carryOut(house, question, now, prepared, work),
    );
    if (done) return shared(house, prepared, role, done);
    if (role === "own") await emit(house, prepared.scope, last.payload);
    return shared(house, prepared, role, outcomeOf(last));
  } catch (error) {
    if (error instanceof RunStopped) return denied(house, prepared, error.ending, { kind: error.ending });
    throw error;
  }
}

/** Claims an approved call and runs it; undefined when another writer was first. */
async function carryOut(
  house: House,
  question: Opened,
  view: View,
  prepared: Prepared,
  work: Work,
): Promise<Ended | undefined> {
  const { records, instance, settings } = house;
  const { key, confirmationId, role } = question;
  const { scope } = prepared;
  await remember(house, view, scope.context);
  if (work === "handOver") {
    const handed = await tolerant(records.change(key, confirmationId, { type: "handOver", owner: instance }));
    if (handed && role === "own") await emit(house, scope, handed.view.payload);
    return handed && { ended: "handedOver", view: handed.view };
  }
  const sent = performance.now();
  const claimed = await tolerant(
    records.change(key, confirmationId, { type: "claim", owner: instance, recovery: false }),
  );
  if (!claimed) return undefined;
  if (role === "own") await emit(house, scope, claimed.view.payload);
  if (performance.now() - sent > settings.leaseMs / 2)
    await records.change(key, confirmationId, { type: "renew", owner: instance });
  const info: CallInfo = {
    idempotencyKey: `${view.payload.sessionId}/${confirmationId}`,
    fence: claimed.view.fence,
    parents: view.payload.parents,
    toolCallId: view.payload.toolCallId,
    sessionId: view.payload.sessionId,
    runId: scope.runId,
    signal: scope.signal ?? new AbortController().signal,
    context: scope.context,
  };
  const ran = await house.running(runTool(work.run, view.arguments, info, settings.limits.resultBytes));
  await finish(house, key, confirmationId, claimed.view.fence, ran, view);
  return { ended: "ran", ran };
}

/** Stores what the tool's run came to. INVARIANT: a record that another instance settled since is not overwritten. */
export async function finish(
  house: House,
  key: SessionKey,
  confirmationId: string,
  fence: number,
  ran: Ran,
  view: View,
): Promise<void> {
  const result = ran.execution === "failed" ? failed(house, view, ran.detail) : ran.content;
  await house.records.change(key, confirmationId, {
    type: "finish",
    owner: house.instance,
    fence,
    execution: ran.execution,
    result,
  });
}

/** The tool message for a tool that threw. */
export function failed(house: House, view: View, detail: string): string {
  const toolName = view.payload.toolName;
  return JSON.stringify(
    house.texts.denial({ kind: "unavailable", toolName, detail }, () => withInput(callOf(view)), toolName),
  );
}

/** How a settled record reads for a call of its own or one that shares it. */
function outcomeOf(view: View): Ended {
  const { status } = view.payload;
  if (view.execution === "caller") return { ended: "handedOver", view };
  const content = view.result ?? "null";
  const denial = storedDenial(content, status !== "approved" || view.execution !== "ran");
  if (!denial) return { ended: "stored", content };
  return {
    ended: "denied",
    denial,
    basis: status === "approved" || status === "denied" || status === "pending" ? "human" : status,
  };
}

/** A call that shared another one's answer gets its own event, once. */
function shared(house: House, prepared: Prepared, role: Opened["role"], ended: Ended): Ended {
  if (role === "own") return ended;
  if (ended.ended === "handedOver") {
    const detail = "its approval was used by another call with this id";
    return denied(house, prepared, "duplicate", { kind: "unavailable", toolName: prepared.call.toolName, detail });
  }
  house.terminal(prepared.call, ended.ended !== "denied", "duplicate", "", prepared.scope.context);
  return ended;
}

/** An automatic refusal: the one event, then the denial. */
export function denied(
  house: House,
  { call, scope }: Prepared,
  basis: Basis,
  refusal: Refusal,
  source = "",
): Extract<Ended, { ended: "denied" }> {
  house.terminal(call, false, basis, source, scope.context);
  return { ended: "denied", denial: house.texts.denial(refusal, () => withInput(call), call.toolName), basis };
}
