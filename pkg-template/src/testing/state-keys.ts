import type { SessionKey, SessionState } from "../types.js";
import { refused, same } from "./check.js";
import { freshSession, idsOf, written } from "./state-steps.js";
import type { Add } from "./suite.js";

// biome-ignore format: a list of short texts
const TRICKY = [
  "", " ", "a", "A", "a ", '"', '","', "'", "\\", "\\0", "/", ":", "a:b", "|", "\n", "ä", "a\u0308", "🙂", "%", "_", "{", "}", "{}", "*", "__proto__",
];
/** What many stores can't hold, or hold as something else. */
const UNSTORABLE = ["\0", "\u0001", "\u00010", "\u00011", "\ud800", "\udfff", "\u0001d800", "\ufffd", "\uffff"];

/** Names are apart, whatever is in them. */
export function keys(add: Add<SessionState>): void {
  add("sessions, users and apps are apart, whatever characters their names have", async (state) => {
    const { session } = freshSession();
    const all = [...TRICKY, ...UNSTORABLE].flatMap((part) => [
      { app: part, user: "u", session },
      { app: "a", user: part, session },
      { app: "a", user: "u", session: session + part },
      { app: "a", user: "u", session: part + session },
      { app: part, user: `${part}u`, session },
    ]);
    const distinct = [...new Map(all.map((key) => [JSON.stringify([key.app, key.user, key.session]), key])).values()];
    for (const [index, key] of distinct.entries()) await written(state, key, "c:1", String(index));
    for (const [index, key] of distinct.entries()) {
      const found = await state.list(key, "confirmation");
      same(
        found.map(({ record }) => record),
        [String(index)],
        JSON.stringify(key),
      );
    }
  });

  add("the parts of a key are not run together", async (state) => {
    const { session } = freshSession();
    const apart = [
      ["a", "b", `c${session}`],
      ["ab", "", `c${session}`],
      ["", "ab", `c${session}`],
      ["a,b", "", `c${session}`],
      ["a", "bc", session],
      ['a","b', "", `c${session}`],
      ["a/b", "c", session],
      ["a", "b/c", session],
      ["a:b", "c", session],
      ["a", "b:c", session],
      ["a\0b", "c", session],
      ["a", "b\0c", session],
    ] as const;
    const named = apart.map(([app, user, name]): SessionKey => ({ app, user, session: name }));
    for (const [index, key] of named.entries()) await written(state, key, "c:1", String(index));
    for (const [index, key] of named.entries()) same((await state.read(key, "c:1"))?.record, String(index));
  });

  add("ids are apart and come back as they were", async (state) => {
    const session = freshSession();
    const ids = [...TRICKY, ...UNSTORABLE].map((part) => `c:${part}`);
    for (const id of ids) await written(state, session, id, JSON.stringify(id));
    for (const id of ids) same((await state.read(session, id))?.record, JSON.stringify(id));
    const listed = await state.list(session, "confirmation");
    same(listed.map(({ id }) => id).sort(), [...ids].sort());
    for (const { id, record } of listed) same(record, JSON.stringify(id));
  });

  add("an id of one kind is not another kind's", async (state) => {
    const session = freshSession();
    const ids = ["c:1", "q:1", "r:1", "h:1", "c:r:1", "c:q:1", "r:c:1"];
    for (const id of ids) await written(state, session, id, id);
    for (const id of ids) same((await state.read(session, id))?.record, id);
  });

  add("an id of 256 bytes is taken, a longer one is refused", async (state) => {
    const session = freshSession();
    const longest = `c:${"ä".repeat(127)}`;
    await written(state, session, longest, "a");
    same((await state.read(session, longest))?.record, "a");
    await refused(async () => state.write(session, `${longest}b`, "b", undefined), /256 bytes/);
    same(await idsOf(state, session), [longest]);
  });
}
