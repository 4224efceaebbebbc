import type { RunAgentInput } from "@ag-ui/client";
import type { Payload } from "../types.js";
import { type AnyEvent, finished } from "./events.js";
import { declares } from "./lines.js";

/** An open question as the protocol's own interrupt; its id is the confirmation's. */
export interface Interrupt {
  readonly id: string;
  readonly reason: "tool_call";
  readonly toolCallId: string;
  readonly message: string;
  readonly responseSchema: object;
  readonly expiresAt?: string;
  readonly metadata: { readonly ack: object };
}

/** The end of a run that leaves questions open. */
export function interrupted(input: RunAgentInput, open: readonly Payload[]): AnyEvent {
  const interrupts = open.map((payload) => interruptOf(payload, declares(input)));
  return finished(input, { outcome: { type: "interrupt", interrupts } });
}

/** The end of a run that was stopped. */
export function canceled(input: RunAgentInput): AnyEvent {
  return finished(input, declares(input) ? { outcome: { type: "cancelled" } } : {});
}

/** A client before 1.0 can never answer an interrupt past its `expiresAt`, not even with a cancel: it is not told. */
function interruptOf(payload: Payload, newer: boolean): Interrupt {
  const { confirmationId, toolCallId, toolName, reason, expiresAt } = payload;
  return {
    id: confirmationId,
    reason: "tool_call",
    toolCallId,
    message: reason ?? `\`${toolName}\` needs a person's approval`,
    responseSchema: schemaOf(payload),
    ...(newer && expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    metadata: { ack: { v: 1, ...payload } },
  };
}

/** What an answer may hold: more than yes or no only where it is offered. */
function schemaOf({ suggestions = [], editable }: Payload): object {
  return {
    type: "object",
    properties: {
      approved: { type: "boolean" },
      note: { type: "string" },
      ...(suggestions.length > 0 && { remember: { type: "string", enum: ["session", "global"] } }),
      ...(editable === true && { editedArgs: { type: "object" } }),
    },
    required: ["approved"],
  };
}
