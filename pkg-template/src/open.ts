import type { Prepared } from "./calls.js";
import { insist, isStoreFailure } from "./clock.js";
import { endQuietly, lose, tell, tolerant } from "./endings.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import { isHeld } from "./holds.js";
import type { House } from "./house.js";
import type { Owner } from "./judge.js";
import { Seat } from "./seat.js";
import type { SessionKey, ToolCall } from "./types.js";
import type { Outcome, Survey, View } from "./wasm/types.js";

/** Longer tool-call ids can't be record ids ("c:" and at most 256 bytes). */
const MAX_ID_BYTES = 254;
const OPEN_TRIES = 20;

export type Confirm = Extract<Outcome, { disposition: "confirm" }>;
/** A question about a call, and how the call came to it. */
export interface Question {
  readonly key: SessionKey;
  readonly confirmationId: string;
  /** `created` by this call, `found` open or just answered, `replayed` from its stored result, or not to be asked again. */
  readonly how: "created" | "found" | "replayed" | "refused";
  readonly view: View;
  /** The call's place at the question it created. */
  readonly seat?: Seat | undefined;
}
/** A call that needs a person. `wait`: it waits for the answer itself; otherwise a new question is parked. */
export interface Asking {
  readonly prepared: Prepared;
  readonly asked: Confirm;
  readonly owner: Owner;
  readonly key: SessionKey;
  readonly idempotent?: boolean | undefined;
  /** The person may change the arguments. */
  readonly editable?: boolean | undefined;
  readonly wait: boolean;
}

/** Opens the confirmation of a call, or finds the one that answers it. */
export async function open(house: House, asking: Asking): Promise<Question> {
  for (let tried = 0; tried < OPEN_TRIES; tried++) {
    // Another call with this id was first: what it left is looked at again.
    const question = await tolerant(openOnce(house, asking));
    if (question?.view.stage === "pending") house.asked(question.view.payload, asking.prepared.scope.context);
    if (question) return question;
  }
  const { toolName } = asking.prepared.call;
  throw new AckError("internal", `the session's confirmations change faster than \`${toolName}\` can be asked about`);
}

async function openOnce(house: House, asking: Asking): Promise<Question | undefined> {
  const { settings, records } = house;
  const { asked, owner, key, wait } = asking;
  const { scope, call } = asking.prepared;
  const survey = await surveyFor(house, asking.prepared, asked.digest, key);
  if (survey.found && settings.duplicate !== "ask") return found(house, key, survey.found);
  if (survey.open >= settings.limits.open) {
    const { open: limit } = settings.limits;
    throw new AckError("internal", `${survey.open} confirmations are open in this session, the limit is ${limit}`);
  }
  const { user } = scope.context;
  const confirmationId = idFor(call, survey);
  // INVARIANT: the seat is taken before anybody can see the record, or a reader would take it for an orphan.
  const seat = wait ? new Seat(house, key, confirmationId) : undefined;
  if (seat && !seat.take()) return beingOpened(house, key, confirmationId);
  try {
    const changed = await records.change(key, confirmationId, {
      type: "request",
      confirmationId,
      call: { ...call, arguments: asked.arguments },
      digest: asked.digest,
      userId: owner.user,
      forced: asked.forced,
      reason: asked.reason,
      suggestions: asked.suggestions,
      expiresAt: settings.timeoutMs && records.moment().nowMs + Math.ceil(settings.timeoutMs),
      askedBy: user === owner.user ? undefined : user,
      runId: scope.runId,
      parents: scope.parents,
      refusedBefore: survey.refusedBefore,
      owner: wait ? house.instance : undefined,
      idempotent: asking.idempotent ?? false,
      editable: asking.editable ?? false,
    });
    tell(house, scope, changed);
    return { key, confirmationId, how: "created", view: changed.view, seat };
  } catch (error) {
    const written = await ownAfterAll(house, key, confirmationId, asked.digest, error).catch(() => undefined);
    if (seat && written) return { key, confirmationId, how: "created", view: written, seat };
    const leave = (): void => seat?.leave();
    if (isStoreFailure(error)) house.running(endUnknown(house, key, confirmationId, asked.digest)).finally(leave);
    else leave();
    throw error;
  }
}

/**
 * The question that a write made although the store failed at it, where somebody has answered it meanwhile: the seat was
 * taken before, so a record of this instance is that write's.
 */
async function ownAfterAll(
  house: House,
  key: SessionKey,
  confirmationId: string,
  digest: string,
  error: unknown,
): Promise<View | undefined> {
  if (!AckError.is(error) || error.code !== "conflict") return undefined;
  const view = await house.records.view(key, confirmationId);
  return view?.owner === house.instance && view.payload.argumentsDigest === digest ? view : undefined;
}

/** The call is refused, so what may have been written all the same must not be answered and run. */
async function endUnknown(house: House, key: SessionKey, confirmationId: string, digest: string): Promise<void> {
  const { records, settings } = house;
  try {
    await insist(settings, async () => {
      const view = await records.view(key, confirmationId);
      const own = view?.payload.argumentsDigest === digest && (view.parked || view.owner === house.instance);
      if (view && own && view.stage !== "settled") await endQuietly(house, key, view, "canceled", undefined);
    });
  } catch (error) {
    settings.logger.error("a question that could not be recorded may still be open", { error: messageOf(error) });
  }
}

/** What the session's records mean for a call. */
export async function surveyFor(house: House, prepared: Prepared, digest: string, key: SessionKey): Promise<Survey> {
  const { toolName, toolCallId } = prepared.call;
  const repeat = { toolName, digest, runId: prepared.scope.runId };
  return engine.survey(await house.records.stored(key), toolCallId, repeat, house.records.moment());
}

/** Another call of this instance opens the same one: when that is done it is looked at again. */
async function beingOpened(house: House, key: SessionKey, confirmationId: string): Promise<undefined> {
  const done = (view: View | undefined) => (view || !isHeld(house, key, confirmationId) ? true : undefined);
  await house.records.until(key, confirmationId, done, house.closing);
  return undefined;
}

async function found(
  house: House,
  key: SessionKey,
  { confirmationId, duplicate }: Found,
): Promise<Question | undefined> {
  const view = await house.records.view(key, confirmationId);
  if (!view) return undefined;
  if (house.settings.duplicate === "deny") return { key, confirmationId, how: "refused", view };
  switch (duplicate) {
    case "join":
    case "adopt":
    case "pickUp":
      return { key, confirmationId, how: "found", view };
    case "lost":
      // A record that this instance runs is not lost, however late its lease is.
      if (isHeld(house, key, confirmationId)) return { key, confirmationId, how: "found", view };
      await lose(house, key, view, false);
      return undefined;
    case "replay":
      return { key, confirmationId, how: "replayed", view };
    case "refuse":
    case "fresh":
      return { key, confirmationId, how: "refused", view };
    default:
      return duplicate satisfies never;
  }
}
type Found = NonNullable<Survey["found"]>;

function idFor(call: ToolCall, survey: Survey): string {
  const fits = new TextEncoder().encode(call.toolCallId).length <= MAX_ID_BYTES;
  return survey.taken || !fits ? engine.freshId() : call.toolCallId;
}
