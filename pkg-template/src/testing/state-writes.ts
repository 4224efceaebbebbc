import type { SessionState } from "../types.js";
import { check, same } from "./check.js";
import { freshSession, idsOf, stateOf, written } from "./state-steps.js";
import type { Add } from "./suite.js";

/** Create, compare-and-set, delete; versions. */
export function writes(add: Add<SessionState>): void {
  add("what is created is read back with its id and version", async (state) => {
    const session = freshSession();
    same(await state.read(session, "c:1"), undefined);
    const version = await written(state, session, "c:1", "a");
    const found = await state.read(session, "c:1");
    same([found?.id, found?.record, found?.version], ["c:1", "a", version]);
  });

  add("creating is a conflict when the id exists, and changes nothing", async (state) => {
    const session = freshSession();
    const version = await written(state, session, "c:1", "a");
    same(await state.write(session, "c:1", "b", undefined), { conflict: true });
    same(await stateOf(state, session, "c:1"), ["a", version]);
  });

  add("a write names the version it replaces; any other is a conflict and changes nothing", async (state) => {
    const session = freshSession();
    const first = await written(state, session, "c:1", "a");
    const second = await written(state, session, "c:1", "b", first);
    check(second !== first, "the version did not change");
    for (const stale of [first, "", "0", "no version", `${second} `, "\ud800"]) {
      same(await state.write(session, "c:1", "c", stale), { conflict: true }, stale);
      same(await state.write(session, "c:1", null, stale), { conflict: true }, stale);
    }
    same(await state.write(session, "c:1", null, undefined), { conflict: true });
    same(await stateOf(state, session, "c:1"), ["b", second]);
  });

  add("a write to what does not exist is a conflict when it names a version", async (state) => {
    const session = freshSession();
    for (const version of ["1", ""]) {
      same(await state.write(session, "c:1", "a", version), { conflict: true }, version);
      same(await state.write(session, "c:1", null, version), { conflict: true }, version);
    }
    same(await state.read(session, "c:1"), undefined);
  });

  add("null deletes", async (state) => {
    const session = freshSession();
    const version = await written(state, session, "c:1", "a");
    await written(state, session, "c:2", "b");
    await written(state, session, "c:1", null, version);
    same(await state.read(session, "c:1"), undefined);
    same(await idsOf(state, session), ["c:2"]);
  });

  add("a version never comes back, not after delete and re-create either", async (state) => {
    const session = freshSession();
    const seen = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const created = await written(state, session, "c:1", "the same record");
      const replaced = await written(state, session, "c:1", "the same record", created);
      await written(state, session, "c:1", null, replaced);
      for (const version of [created, replaced]) {
        check(!seen.has(version), `version ${version} came back`);
        seen.add(version);
      }
    }
    await written(state, session, "c:1", "again");
    for (const version of seen) same(await state.write(session, "c:1", "x", version), { conflict: true });
  });

  add("a record of 1 MiB and one of every kind of character come back as they were", async (state) => {
    const session = freshSession();
    const records = {
      "c:big": JSON.stringify("x".repeat(1 << 20)),
      "c:unicode": JSON.stringify("ä 漢 🙂 \u202e \0 \u0001 \ud800 \ue000 \uffff \\ ' \" $1 %s"),
      "c:raw": "ä 漢 🙂 \u202e \0 \u0001 \ud800 \ue000 \uffff \\ ' \" $1 %s \r\n",
      "c:empty": "",
    };
    for (const [id, record] of Object.entries(records)) await written(state, session, id, record);
    for (const [id, record] of Object.entries(records)) {
      check((await state.read(session, id))?.record === record, `${id} came back as something else`);
    }
  });
}
