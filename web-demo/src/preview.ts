import { createGate, memoryState } from "ackgate";
import { tiers } from "../shared/tiers.ts";

export type Preview = "runs" | "asks" | "refused";

// The engine that decides on the server, loaded in this page as well. It only labels: what happens is decided there.
const gate = createGate({ state: memoryState(), tiers, defaultTier: "confirm" });
const LABELS = { allow: "runs", confirm: "asks", deny: "refused" } as const;

export async function preview(toolName: string, args: string): Promise<Preview> {
  const { disposition } = await gate.evaluate({
    sessionId: "preview",
    toolCallId: "preview",
    toolName,
    arguments: args,
  });
  return LABELS[disposition];
}

/** Every tool of the table with its label. */
export const labelledTools = (): Promise<{ name: string; label: Preview }[]> =>
  Promise.all(Object.keys(tiers).map(async (name) => ({ name, label: await preview(name, "{}") })));
