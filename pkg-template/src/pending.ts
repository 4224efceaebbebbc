import { end } from "./endings.js";
import { isLive } from "./holds.js";
import type { House } from "./house.js";
import { carryOnOrphans } from "./recovery.js";
import { type Bound, undelivered } from "./resume.js";
import type { Context, PendingItem, SessionKey } from "./types.js";

/** Open confirmations, oldest first, and those carried out whose thread has not got the result. */
export async function listPending(
  house: House,
  bound: Bound | undefined,
  key: SessionKey,
  context: Context,
): Promise<PendingItem[]> {
  const views = await Promise.all(
    (await house.records.views(key)).map(async (view) =>
      view.overdue ? (await end(house, key, view, view.overdue, context)).view : view,
    ),
  );
  if (bound) carryOnOrphans(house, bound, key, views, context);
  return views
    .filter((view) => view.stage !== "settled" || undelivered(view))
    .map((view) => ({ ...view.payload, live: isLive(house, key, view) }))
    .sort((a, b) => a.createdAt - b.createdAt || (a.confirmationId < b.confirmationId ? -1 : 1));
}

/** Ends every question nobody has answered as superseded; gives their number. */
export async function supersede(house: House, key: SessionKey, context: Context): Promise<number> {
  const open = (await house.records.views(key)).filter((view) => view.stage === "pending");
  const ended = await Promise.all(open.map((view) => end(house, key, view, "superseded", context)));
  return ended.filter(({ commands }) => commands.length > 0).length;
}

/** The tool messages of these calls: stored ones now count as delivered, an unfinished call says that it is. */
export async function resultsOf(house: House, key: SessionKey, ids: readonly string[]): Promise<Map<string, string>> {
  const results = new Map<string, string>();
  for (const view of await house.records.views(key)) {
    const { toolCallId, confirmationId, toolName } = view.payload;
    if (!ids.includes(toolCallId)) continue;
    if (view.stage !== "settled") results.set(toolCallId, unfinished(toolName));
    if (view.stage !== "settled" || view.result === undefined) continue;
    results.set(toolCallId, view.result);
    if (!view.delivered) await house.records.change(key, confirmationId, { type: "deliver" });
  }
  return results;
}

function unfinished(tool: string): string {
  const reason = "this call waits for a person or is being carried out; its result comes later. Do not call it again.";
  return JSON.stringify({ status: "pending", tool, reason });
}
