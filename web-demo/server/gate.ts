import { createGate, memoryGrants, type SessionState } from "ackgate";
import { tiers } from "../shared/tiers.ts";
import type { Notes } from "./notes.ts";
import { notesTools } from "./tools.ts";

/** The tools are declared once: gated here, and run from here when a person answers after a restart. */
export function notesGate(state: SessionState, notes: Notes) {
  return createGate({ state, grants: memoryGrants(), tools: notesTools(notes), tiers });
}
