import { Attendance, RunStopped } from "./attend.js";
import { auditSettled, endedAlone } from "./audit.js";
import type { Prepared } from "./calls.js";
import { carry, remember, stopped } from "./carry.js";
import { insist } from "./clock.js";
import { end, fireTerminal, tell, tolerant } from "./endings.js";
import { messageOf } from "./error.js";
import type { House } from "./house.js";
import { type Asking, open, type Question } from "./open.js";
import { Parked, parked } from "./parking.js";
import type { Ran } from "./results.js";
import { storedDenial } from "./texts.js";
import type { Run } from "./tools.js";
import type { Basis, Denial, SessionKey } from "./types.js";
import type { Refusal, View } from "./wasm/types.js";

/** How a call ended that needed a person. */
export type Ended =
  | { readonly ended: "ran"; readonly ran: Ran }
  | { readonly ended: "handedOver"; readonly view: View }
  | { readonly ended: "stored"; readonly content: string }
  | Refused;
export interface Refused {
  readonly ended: "denied";
  readonly denial: Denial;
  readonly basis: Basis | "human";
}
/** What happens to an approved call: `run` it, or hand it to the caller. */
export type Work = { readonly run: Run } | "handOver";

/** Asks a person about a call and carries the answer out in this run. */
export async function ask(house: House, asking: Omit<Asking, "wait">, work: Work): Promise<Ended> {
  const { prepared, key } = asking;
  const { toolName } = prepared.call;
  const wait = prepared.scope.parking?.due.aborted !== true;
  const question = await opened(house, { ...asking, wait });
  if ("ended" in question) return question;
  if (question.how === "created" && !wait) return leftOpen(house, asking, question.view, work);
  const { digest } = asking.asked;
  if (question.how === "refused") return denied(house, prepared, { kind: "duplicate", toolName }, { digest });
  if (question.how === "replayed") return shared(house, asking, outcomeOf(house, prepared, question.view, work));
  const attendance = new Attendance(house, question, prepared.scope, async (view, seat) => {
    const { scope } = prepared;
    if (work === "handOver") return handOver(house, key, view, prepared);
    const ran = await carry(house, { key, view, seat, scope, recovery: false, run: work.run });
    return ran && ({ ended: "ran", ran } as const);
  });
  try {
    const { view, done, own } = await house.running(attendance.finish());
    const ended = done ?? outcomeOf(house, prepared, view, work);
    return own ? ended : shared(house, asking, ended);
  } catch (error) {
    if (error instanceof RunStopped) return denied(house, prepared, { kind: error.ending }, { digest });
    if (error instanceof Parked) return leftOpen(house, asking, error.view, work);
    throw error;
  }
}

/**
 * INVARIANT: a call whose question stays open gives no value; it rejects once its run has ended so. A run that was stopped
 * before that ends its question like any other.
 */
async function leftOpen(house: House, asking: Omit<Asking, "wait">, view: View, work: Work): Promise<Ended> {
  const { prepared, key } = asking;
  const { call, scope } = prepared;
  if ((await scope.parking?.park(view)) !== false) throw parked(call.toolName);
  house.closing.throwIfAborted();
  const { confirmationId } = view.payload;
  const changed = await insist(house.settings, async () => {
    const now = await house.records.view(key, confirmationId);
    return now?.parked ? end(house, key, now, "canceled", scope.context) : undefined;
  });
  if (!changed) return denied(house, prepared, { kind: "canceled" }, { digest: asking.asked.digest });
  if (changed.view.stage !== "settled") throw parked(call.toolName);
  tell(house, scope, changed);
  const ended = outcomeOf(house, prepared, changed.view, work);
  return changed.commands.length > 0 ? ended : shared(house, asking, ended);
}

/** Opens a question, or refuses the call when that can't be recorded. */
export async function opened(house: House, asking: Asking): Promise<Question | Refused> {
  try {
    return await open(house, asking);
  } catch (error) {
    house.settings.logger.error("a confirmation could not be recorded, the call is refused", {
      tool: asking.prepared.call.toolName,
      error: messageOf(error),
    });
    return denied(house, asking.prepared, { kind: "persistFailed" }, { digest: asking.asked.digest });
  }
}

/** INVARIANT: only the call whose own write handed the approval over gets it. */
async function handOver(house: House, key: SessionKey, view: View, { scope }: Prepared): Promise<Ended | undefined> {
  await remember(house, key, view, scope);
  if (stopped(house, scope)) return undefined;
  const event = { type: "handOver", owner: house.instance } as const;
  const handed = await tolerant(house.records.change(key, view.payload.confirmationId, event));
  if (!handed) return undefined;
  tell(house, scope, handed);
  fireTerminal(house, handed, scope.context);
  auditSettled(house, handed.view, "caller");
  return { ended: "handedOver", view: handed.view };
}

/** How a settled record reads for a call that did not carry it out. What can't be shared is refused. */
function outcomeOf(house: House, { call }: Prepared, view: View, work: Work): Ended {
  const { status, toolName } = view.payload;
  const usedUp = view.execution === "caller" || (work === "handOver" && view.execution !== "none");
  if (usedUp) {
    const denial = house.texts.denial({ kind: "duplicate", toolName }, call);
    return { ended: "denied", denial, basis: "duplicate" };
  }
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
function shared(house: House, { prepared: { call, scope }, asked }: Omit<Asking, "wait">, ended: Ended): Ended {
  if (ended.ended === "handedOver") return ended;
  const end = {
    call,
    digest: asked.digest,
    allowed: ended.ended !== "denied",
    basis: "duplicate",
    source: "",
  } as const;
  endedAlone(house, end, scope.context, "none");
  return ended;
}

/** An automatic refusal: the one event, then the denial. */
export function denied(
  house: House,
  { call, scope }: Prepared,
  refusal: Refusal,
  known: { digest: string; basis?: Basis; source?: string; rule?: string | undefined },
): Refused {
  const basis = known.basis ?? house.texts.basisOf(refusal);
  const { digest, source = "", rule } = known;
  endedAlone(house, { call, digest, allowed: false, basis, source, rule }, scope.context, "none");
  return { ended: "denied", denial: house.texts.denial(refusal, call), basis };
}
