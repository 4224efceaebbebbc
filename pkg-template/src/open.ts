import type { Prepared } from "./calls.js";
import { emit, lose, tolerant } from "./endings.js";
import * as engine from "./engine.js";
import { AckError } from "./error.js";
import type { House } from "./house.js";
import type { Owner } from "./judge.js";
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
}
/** `wait`: the call waits for the answer itself; otherwise a new question is parked. */
export interface Traits {
  readonly idempotent?: boolean | undefined;
  readonly wait: boolean;
}

/** Opens the confirmation of a call, or finds the one that answers it. */
export async function open(
  house: House,
  prepared: Prepared,
  asked: Confirm,
  owner: Owner,
  key: SessionKey,
  traits: Traits,
): Promise<Question> {
  for (let tried = 0; tried < OPEN_TRIES; tried++) {
    // Another call with this id was first: what it left is looked at again.
    const question = await tolerant(openOnce(house, prepared, asked, owner, key, traits));
    if (question) return question;
  }
  const { toolName } = prepared.call;
  throw new AckError("internal", `the session's confirmations change faster than \`${toolName}\` can be asked about`);
}

async function openOnce(
  house: House,
  prepared: Prepared,
  asked: Confirm,
  owner: Owner,
  key: SessionKey,
  traits: Traits,
): Promise<Question | undefined> {
  const { settings, records } = house;
  const { scope, call } = prepared;
  const repeat = { toolName: call.toolName, digest: asked.digest, runId: scope.runId };
  const survey = engine.survey(await records.stored(key), call.toolCallId, repeat, records.moment());
  if (survey.found && settings.duplicate !== "ask") return found(house, key, survey.found);
  if (survey.open >= settings.limits.open) {
    const { open: limit } = settings.limits;
    throw new AckError("internal", `${survey.open} confirmations are open in this session, the limit is ${limit}`);
  }
  const { user } = scope.context;
  const confirmationId = idFor(call, survey);
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
    owner: traits.wait ? house.instance : undefined,
    idempotent: traits.idempotent ?? false,
  });
  emit(house, scope, changed.view.payload);
  return { key, confirmationId, how: "created", view: changed.view };
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
      if (house.holds.has(key, confirmationId)) return { key, confirmationId, how: "found", view };
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
