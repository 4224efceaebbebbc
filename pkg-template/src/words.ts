import type { CustomEvent, Payload } from "./types.js";

/** The AG-UI custom event's default name. */
export const EVENT_NAME = "tool_confirmation";
/** The key of the folded table in hosts whose session store is a map. */
export const STATE_KEY = "__pending_tool_confirmation__";
/** The decision woke a waiting run. */
export const PATH_LIVE = "live";
/** The decision was carried out by the gate. */
export const PATH_RECOVERY = "recovery";

/** The AG-UI event that carries a confirmation. */
export function customEvent(payload: Payload, eventName: string = EVENT_NAME): CustomEvent {
  return { type: "CUSTOM", name: eventName, value: payload };
}
