import type { Payload } from "../types.js";
import type { AnyEvent, AnyMessage } from "./events.js";

/** The activity type of a card that the option `activity` draws. */
export const CARD_ACTIVITY = "ack.tool-confirmation";

/** The event that draws an activity message. */
export function drawing({ id, activityType, content }: AnyMessage): AnyEvent {
  return { type: "ACTIVITY_SNAPSHOT", messageId: id, activityType, content };
}

/** The message of a card that the option `activity` draws. */
export function activityCard(payload: Payload): AnyMessage {
  return { id: `ack:${payload.confirmationId}`, role: "activity", activityType: CARD_ACTIVITY, content: payload };
}

/** The message of a card that only the gate's custom events draw. */
export function customCard({ type, name, value }: AnyEvent, eventName: string): AnyMessage | undefined {
  const { confirmationId } = (value ?? {}) as { confirmationId?: unknown };
  if (type !== "CUSTOM" || name !== eventName || typeof confirmationId !== "string") return undefined;
  return { id: `ack:${confirmationId}`, role: "activity", activityType: "CUSTOM", content: { name, value } };
}

/** What a message shows of a confirmation, when it shows one. */
export function cardIn({ id, role, activityType, content }: AnyMessage): Partial<Payload> | undefined {
  if (role !== "activity" || !id.startsWith("ack:")) return undefined;
  if (activityType === CARD_ACTIVITY) return content as Partial<Payload>;
  return activityType === "CUSTOM" ? (content as { value: Partial<Payload> }).value : undefined;
}

/** The message with what became of its card. */
export function settledCard(message: AnyMessage, payload: Partial<Payload>): AnyMessage | undefined {
  const card = cardIn(message);
  if (card === undefined) return undefined;
  const value = { ...card, ...payload };
  const wrapped = message.activityType === "CUSTOM";
  return { ...message, content: wrapped ? { ...(message.content as object), value } : value };
}
