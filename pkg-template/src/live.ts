import { Attendance, RunStopped } from "./attend.js";
import { type Prepared, withInput } from "./calls.js";
import { carry, remember, stopped } from "./carry.js";
import { emit, tolerant } from "./endings.js";
import { messageOf } from "./error.js";
import type { House } from "./house.js";
import type { Owner } from "./judge.js";
import { type Confirm, open, type Question } from "./open.js";
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
  const { toolName } = prepared.call;
  const idempotent = work === "handOver" ? undefined : work.idempotent;
  const question = await opened(house, prepared, () =>
    open(house, prepared, asked, owner, key, { wait: true, idempotent }),
  );
  if ("ended" in question) return question;
  if (question.how === "refused") return denied(house, prepared, { kind: "duplicate", toolName });
  if (question.how === "replayed") return shared(house, prepared, outcomeOf(house, prepared, question.view, work));
  const attendance = new Attendance(house, question, prepared.scope, async (view, seat) => {
    const { scope } = prepared;
    if (work === "handOver") return handOver(house, key, view, prepared);
    const ran = await carry(house, { key, view, seat, scope, recovery: false, run: work.run });
    return ran && ({ ended: "ran", ran } as const);
  });
  try {
    const { view, done, own } = await house.running(attendance.finish());
    const ended = done ?? outcomeOf(house, prepared, view, work);
    return own ? ended : shared(house, prepared, ended);
  } catch (error) {
    if (error instanceof RunStopped) return denied(house, prepared, { kind: error.ending });
    throw error;
  }
}

/** Opens a question, or refuses the call when that can't be recorded. */
export async function opened(
  house: House,
  prepared: Prepared,
  work: () => Promise<Question>,
): Promise<Question | Refused> {
  try {
    return await work();
  } catch (error) {
    house.settings.logger.error("a confirmation could not be recorded, the call is refused", {
      tool: prepared.call.toolName,
      error: messageOf(error),
    });
    return denied(house, prepared, { kind: "persistFailed" });
  }
}

/** INVARIANT: only the call whose own write handed the approval over gets it. */
async function handOver(house: House, key: SessionKey, view: View, { scope }: Prepared): Promise<Ended | undefined> {
  await remember(house, view, scope.context);
  if (stopped(house, scope)) return undefined;
  const event = { type: "handOver", owner: house.instance } as const;
  const handed = await tolerant(house.records.change(key, view.payload.confirmationId, event));
  if (!handed) return undefined;
  emit(house, scope, handed.view.payload);
  return { ended: "handedOver", view: handed.view };
}

/** How a settled record reads for a call that did not carry it out. What can't be shared is refused. */
function outcomeOf(house: House, { call }: Prepared, view: View, work: Work): Ended {
  const { status, toolName } = view.payload;
  const usedUp = view.execution === "caller" || (work === "handOver" && view.execution !== "none");
  if (usedUp) {
    const denial = house.texts.denial({ kind: "duplicate", toolName }, () => withInput(call), toolName);
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
function shared(house: House, { call, scope }: Prepared, ended: Ended): Ended {
  if (ended.ended === "handedOver") return ended;
  house.terminal(call, ended.ended !== "denied", "duplicate", "", scope.context);
  return ended;
}

/** An automatic refusal: the one event, then the denial. */
export function denied(
  house: House,
  { call, scope }: Prepared,
  refusal: Refusal,
  source?: { basis: Basis; source: string },
): Refused {
  const basis = source?.basis ?? house.texts.basisOf(refusal);
  house.terminal(call, false, basis, source?.source ?? "", scope.context);
  return { ended: "denied", denial: house.texts.denial(refusal, () => withInput(call), call.toolName), basis };
}
