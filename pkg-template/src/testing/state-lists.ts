import { randomText } from "../random.js";
import type { InboxFilter, SessionKey, SessionState } from "../types.js";
import { check, same } from "./check.js";
import { checkAge, freshSession, idsOf, written } from "./state-steps.js";
import type { Add } from "./suite.js";

/** In the order of code points: the last two are the other way round in JavaScript's own order. */
const ASCENDING = ["c:", "c:1", "c:10", "c:2", "c:B", "c:_", "c:a", "c:a1", "c:b", "c:ä", "c:漢", "c:\uff5e", "c:🙂"];

export function lists(add: Add<SessionState>): void {
  add("a list ascends by id, whatever the order of writing", async (state) => {
    const session = freshSession();
    for (const [index] of ASCENDING.entries()) {
      const id = ASCENDING[(index * 5) % ASCENDING.length];
      await written(state, session, String(id), "x");
    }
    same(await idsOf(state, session), ASCENDING);
    for (const [index, id] of ASCENDING.entries()) same(await idsOf(state, session, id), ASCENDING.slice(index + 1));
    same(await state.list(freshSession(), "confirmation"), []);
  });

  add("a list has one kind only", async (state) => {
    const session = freshSession();
    const ids = ["c:1", "q:1", "r:1", "h:1", "b:1", "d:1", "c", "C:1", "c;1", "cc:1"];
    for (const id of ids) await written(state, session, id, id);
    const kinds = ["confirmation", "question", "resumption", "history"] as const;
    const found = await Promise.all(kinds.map((kind) => state.list(session, kind)));
    same(
      found.map((list) => list.map(({ id }) => id)),
      [["c:1"], ["q:1"], ["r:1"], ["h:1"]],
    );
  });

  add("a list goes on after an id, which need not exist", async (state) => {
    const session = freshSession();
    for (const id of ["c:1", "c:2", "c:3", "h:9"]) await written(state, session, id, id);
    same(await idsOf(state, session, "c:1"), ["c:2", "c:3"]);
    same(await idsOf(state, session, "c:11"), ["c:2", "c:3"]);
    same(await idsOf(state, session, "c:3"), []);
    for (const before of ["", "a", "c", "c:"]) same(await idsOf(state, session, before), ["c:1", "c:2", "c:3"], before);
    for (const behind of ["d", "c;", "h:", "\uffff"]) same(await idsOf(state, session, behind), [], behind);
  });

  add("a list has each record with the version and age that a read gives", async (state) => {
    const session = freshSession();
    const version = await written(state, session, "c:1", "a");
    const [listed] = await state.list(session, "confirmation");
    same([listed?.record, listed?.version], ["a", version]);
    checkAge(listed?.ageMs);
  });
}

/** For stores that can list sessions. */
export function sessions(add: Add<SessionState>): void {
  add("the sessions with a confirmation are listed once each, whatever is in their names", async (state) => {
    if (!state.sessions) return;
    const user = randomText();
    const names = ["a", "\0", "\ud800", '"', "\u0001", "漢", "}", "*"];
    const keys = names.map((name) => ({ app: `ack${name}`, user, session: name }));
    for (const key of keys) for (const id of ["c:1", "c:2", "h:1"]) await written(state, key, id, "a");
    await written(state, { app: "ack", user, session: "history only" }, "h:1", "a");
    const emptied = { app: "ack", user, session: "emptied" };
    await written(state, emptied, "c:1", null, await written(state, emptied, "c:1", "a"));
    const own = (await listed(state)).filter((key) => key.user === user);
    same(own.map(text).sort(), keys.map(text).sort());
  });

  add("a session whose names are all empty is listed too", async (state) => {
    if (!state.sessions) return;
    const empty = { app: "", user: "", session: "" };
    await written(state, empty, `c:${randomText()}`, "a");
    for (const filter of [undefined, { user: "" }]) {
      const found = (await listed(state, filter)).map(text);
      same(
        found.filter((key) => key === text(empty)),
        [text(empty)],
      );
    }
  });

  add("the sessions of one user, also more than a page of them", async (state) => {
    if (!state.sessions) return;
    const user = randomText();
    const keys = Array.from({ length: 250 }, (_, index) => ({ app: "ack", user, session: String(index) }));
    await Promise.all(keys.map((key) => written(state, key, "c:1", "a")));
    await written(state, freshSession(), "c:1", "a");
    const found = await listed(state, { user });
    same(found.map(text).sort(), keys.map(text).sort());
    check(
      found.every((key) => key.user === user),
      "a session of another user",
    );
  });
}

async function listed(state: SessionState, filter?: InboxFilter): Promise<SessionKey[]> {
  const found: SessionKey[] = [];
  for await (const key of state.sessions?.(filter) ?? []) found.push(key);
  return found;
}

function text({ app, user, session }: SessionKey): string {
  return JSON.stringify([app, user, session]);
}
