import { AckError, messageOf } from "./error.js";
import type { House } from "./house.js";
import { actorOf } from "./identity.js";
import type { Owner } from "./judge.js";
import type { Context, Payload, SessionKey } from "./types.js";

/** A session as one person finds it. */
export interface Place {
  readonly key: SessionKey;
  readonly owner: Owner;
  /** It is that person's own. */
  readonly own: boolean;
}

export async function placeOf(house: House, sessionId: string, context: Context): Promise<Place> {
  house.closing.throwIfAborted();
  const owner = await house.ownerOf(sessionId, context);
  const own = actorOf(house.settings, context) === owner.user;
  return { key: house.keyOf(sessionId, owner), owner, own };
}

/** INVARIANT: whoever acts on a whole session from outside a call is its user; nobody else learns that it exists. */
export async function ownPlace(house: House, sessionId: string, context: Context): Promise<Place> {
  const place = await placeOf(house, sessionId, context);
  if (!place.own) throw new AckError("not_found", `there is no session \`${sessionId}\` of yours`);
  return place;
}

/** Whether a person may settle a confirmation. A `mayDecide` that fails admits nobody. */
export async function admits(house: House, own: boolean, payload: Payload, context: Context): Promise<boolean> {
  const { mayDecide, logger } = house.settings;
  if (!mayDecide) return own;
  try {
    return (await mayDecide(payload, context)) === true;
  } catch (error) {
    const fields = { tool: payload.toolName, error: messageOf(error) };
    logger.error("`mayDecide` failed, so the person may not decide", fields);
    return false;
  }
}

/** Throws for a person who may not settle it: only the session's own user learns that it is there. */
export async function checkMayDecide(house: House, place: Place, payload: Payload, context: Context): Promise<void> {
  if (await admits(house, place.own, payload, context)) return;
  if (!place.own) throw missing(payload.confirmationId);
  throw new AckError("forbidden", `you may not decide about \`${payload.confirmationId}\``);
}

/** The error of a confirmation that is not there for whoever asks. */
export function missing(confirmationId: string): AckError {
  return new AckError("not_found", `there is no confirmation \`${confirmationId}\` in this session`);
}
