import { admits, type Place } from "./authority.js";
import { end, endDead } from "./endings.js";
import { AckError, messageOf } from "./error.js";
import { isLive, isOrphan } from "./holds.js";
import type { House } from "./house.js";
import { actorOf } from "./identity.js";
import { shrinkOld } from "./keep.js";
import { carryOnOrphans } from "./recovery.js";
import { type Bound, undelivered } from "./resume.js";
import type { Context, InboxFilter, Payload, PendingItem, SessionKey } from "./types.js";
import type { View } from "./wasm/types.js";

/** What is open of a session for one person, oldest first. Carrying on with orphans goes on in the background. */
export async function listPending(
  house: House,
  bound: Bound | undefined,
  place: Place,
  context: Context,
): Promise<PendingItem[]> {
  // Another person's session is as empty as an unknown one.
  if (!place.own && !house.settings.mayDecide) return [];
  const views = await currentViews(house, place.key, context);
  if (bound) void carryOnOrphans(house, bound, place.key, views, context);
  const items = openItems(house, place.key, views);
  return place.own ? items : admitted(house, place, items, context);
}

/** The same list now, and again whenever it is another one, until `stop` or the gate closes. */
export async function* openLists(
  house: House,
  bound: () => Bound | undefined,
  place: Place,
  context: Context,
  stop: AbortSignal,
): AsyncGenerator<PendingItem[]> {
  let last: string | undefined;
  for await (const _ of house.records.changes(place.key, "c:", AbortSignal.any([stop, house.closing]))) {
    // A store that fails for a while costs the list's newness, not the stream.
    const list = await listPending(house, bound(), place, context).catch((error: unknown) => {
      house.settings.logger.warn("the open list could not be read, it is tried again", { error: messageOf(error) });
      return undefined;
    });
    const text = JSON.stringify(list);
    if (list === undefined || text === last || stop.aborted) continue;
    last = text;
    yield list;
  }
}

/** What is open in every session and may be settled by one person, session by session. */
export async function* inbox(house: House, filter: InboxFilter, context: Context): AsyncGenerator<PendingItem> {
  const { state, app } = house.settings;
  if (!state.sessions) throw new AckError("bad_options", "this store can't list sessions, so there is no inbox");
  const { user, status } = filter;
  for await (const key of state.sessions(filter)) {
    house.closing.throwIfAborted();
    if (key.app !== app || (user !== undefined && key.user !== user)) continue;
    const own = actorOf(house.settings, context) === key.user;
    if (!own && !house.settings.mayDecide) continue;
    const place = { key, own, owner: { user: key.user, named: true } };
    const items = openItems(house, key, await currentViews(house, key, context));
    for (const item of await admitted(house, place, items, context)) {
      if (status === undefined || item.status === status) yield item;
    }
  }
}

/** Ends every question nobody has answered as superseded; gives their number. */
export async function supersede(house: House, key: SessionKey, context: Context): Promise<number> {
  const open = (await house.records.views(key)).filter((view) => view.stage === "pending");
  return endAll(house, key, open, "superseded", context);
}

/** Ends everything that nobody has begun to carry out as canceled; gives the number. */
export async function cancelSession(house: House, key: SessionKey, context: Context): Promise<number> {
  const open = (await house.records.views(key)).filter(({ stage }) => stage === "pending" || stage === "decided");
  return endAll(house, key, open, "canceled", context);
}

async function endAll(
  house: House,
  key: SessionKey,
  views: readonly View[],
  ending: "canceled" | "superseded",
  context: Context,
): Promise<number> {
  const ended = await Promise.all(views.map((view) => end(house, key, view, ending, context)));
  return ended.filter(({ commands }) => commands.length > 0).length;
}

/**
 * The tool messages of these calls: stored ones now count as delivered, an unfinished call says that it is. What a dead
 * owner left and nobody may carry out has an outcome that is not known here.
 */
export async function resultsOf(house: House, key: SessionKey, ids: readonly string[]): Promise<Map<string, string>> {
  const results = new Map<string, string>();
  for (const view of await house.records.views(key)) {
    const { toolCallId, confirmationId, toolName } = view.payload;
    if (!ids.includes(toolCallId)) continue;
    if (view.stage !== "settled" && !isOrphan(house, key, view)) results.set(toolCallId, unfinished(toolName));
    if (view.stage !== "settled" || view.result === undefined) continue;
    results.set(toolCallId, view.result);
    if (!view.delivered) await house.records.change(key, confirmationId, { type: "deliver" });
  }
  return results;
}

/** What the records say of these confirmations; one without a readable record is absent. */
export async function payloadsOf(house: House, key: SessionKey, ids: readonly string[]): Promise<Map<string, Payload>> {
  const found = new Map<string, Payload>();
  for (const id of ids) {
    const view = await house.records.view(key, id).catch((error: unknown) => {
      if (AckError.is(error) && error.code === "state_corrupt") return undefined;
      throw error;
    });
    if (view !== undefined) found.set(id, view.payload);
  }
  return found;
}

/** A session's records as they are now: what is past its deadline is ended first. */
export async function currentViews(house: House, key: SessionKey, context: Context): Promise<View[]> {
  const views = await house.records.views(key);
  void house.running(shrinkOld(house, key, views));
  return Promise.all(views.map((view) => endDead(house, key, view, context)));
}

function openItems(house: House, key: SessionKey, views: readonly View[]): PendingItem[] {
  return views
    .filter((view) => view.stage !== "settled" || undelivered(view))
    .map((view) => ({ ...view.payload, live: isLive(house, key, view) }))
    .sort((a, b) => a.createdAt - b.createdAt || (a.confirmationId < b.confirmationId ? -1 : 1));
}

async function admitted(
  house: House,
  { own }: Place,
  items: readonly PendingItem[],
  context: Context,
): Promise<PendingItem[]> {
  const may = await Promise.all(items.map((item) => admits(house, own, item, context)));
  return items.filter((_, index) => may[index]);
}

function unfinished(tool: string): string {
  const reason = "this call waits for a person or is being carried out; its result comes later. Do not call it again.";
  return JSON.stringify({ status: "pending", tool, reason });
}
