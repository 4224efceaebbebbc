// What every SessionState must do: one case for each sentence that the port promises. Cases, not calls to a test runner.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { SessionKey, SessionState } from "ackgate";

export interface SuiteCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}
type Body = (state: SessionState, session: SessionKey) => Promise<void>;

/** Each case works on a store of its own making and in sessions of its own, so that cases may share one database. */
export function sessionStateSuite(create: () => SessionState | PromiseLike<SessionState>): readonly SuiteCase[] {
  const cases: SuiteCase[] = [];
  const add = (name: string, body: Body): void => {
    cases.push({ name, run: async () => body(await create(), freshSession()) });
  };
  writes(add);
  keys(add);
  lists(add);
  ages(add);
  subscriptions(add);
  sessions(add);
  return cases;
}

type Add = (name: string, body: Body) => void;

function writes(add: Add): void {
  add("what is created is read back with its version", async (state, session) => {
    assert.equal(await state.read(session, "c:1"), undefined);
    const version = await written(state, session, "c:1", "a");
    const found = await state.read(session, "c:1");
    assert.deepEqual([found?.id, found?.record, found?.version], ["c:1", "a", version]);
    assert.equal(typeof version, "string");
  });

  add("creating is a conflict when the id exists, and changes nothing", async (state, session) => {
    const version = await written(state, session, "c:1", "a");
    assert.deepEqual(await state.write(session, "c:1", "b", undefined), { conflict: true });
    assert.deepEqual(await stateOf(state, session, "c:1"), ["a", version]);
  });

  add("a write names the version it replaces; any other is a conflict and changes nothing", async (state, session) => {
    const first = await written(state, session, "c:1", "a");
    const second = await written(state, session, "c:1", "b", first);
    assert.notEqual(second, first);
    for (const stale of [first, "", "0", "no version"]) {
      assert.deepEqual(await state.write(session, "c:1", "c", stale), { conflict: true }, stale);
      assert.deepEqual(await state.write(session, "c:1", null, stale), { conflict: true }, stale);
    }
    assert.deepEqual(await state.write(session, "c:1", null, undefined), { conflict: true });
    assert.deepEqual(await stateOf(state, session, "c:1"), ["b", second]);
  });

  add("a write to what does not exist is a conflict when it names a version", async (state, session) => {
    assert.deepEqual(await state.write(session, "c:1", "a", "1"), { conflict: true });
    assert.deepEqual(await state.write(session, "c:1", null, "1"), { conflict: true });
    assert.equal(await state.read(session, "c:1"), undefined);
  });

  add("null deletes", async (state, session) => {
    const version = await written(state, session, "c:1", "a");
    await written(state, session, "c:2", "b");
    await written(state, session, "c:1", null, version);
    assert.equal(await state.read(session, "c:1"), undefined);
    assert.deepEqual(await idsOf(state, session), ["c:2"]);
  });

  add("a version never comes back, not after delete and re-create either", async (state, session) => {
    const seen = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const created = await written(state, session, "c:1", "the same record");
      const replaced = await written(state, session, "c:1", "the same record", created);
      await written(state, session, "c:1", null, replaced);
      for (const version of [created, replaced]) {
        assert.ok(!seen.has(version), `version ${version} came back`);
        seen.add(version);
      }
    }
    await written(state, session, "c:1", "again");
    for (const version of seen) assert.deepEqual(await state.write(session, "c:1", "x", version), { conflict: true });
  });

  add("a read that starts after an acknowledged write sees it", async (state, session) => {
    let version: string | undefined;
    for (let round = 0; round < 20; round++) {
      version = await written(state, session, "c:1", String(round), version);
      const [read, list] = await Promise.all([state.read(session, "c:1"), state.list(session, "confirmation")]);
      assert.deepEqual([read?.record, list[0]?.record], [String(round), String(round)]);
    }
  });

  add("of writers that start from the same version exactly one wins", async (state, session) => {
    const race = (version: string | undefined, record: (writer: number) => string | null) =>
      Promise.all(Array.from({ length: 8 }, (_, writer) => state.write(session, "c:1", record(writer), version)));
    let version: string | undefined;
    for (let round = 0; round < 5; round++) {
      const outcomes = await race(version, (writer) => `${round} ${writer}`);
      const winners = outcomes.flatMap((outcome, writer) => ("version" in outcome ? [{ outcome, writer }] : []));
      assert.equal(winners.length, 1);
      version = winners[0]?.outcome.version;
      assert.deepEqual(await stateOf(state, session, "c:1"), [`${round} ${winners[0]?.writer}`, version]);
    }
    const deletions = await race(version, () => null);
    assert.equal(deletions.filter((outcome) => "version" in outcome).length, 1);
  });

  add("a record of 1 MiB and one of every kind of character come back as they were", async (state, session) => {
    const records = {
      "c:big": JSON.stringify("x".repeat(1 << 20)),
      "c:unicode": JSON.stringify("ä 漢 🙂 \u202e \u0000 \u0001 \ud800 \ue000 \uffff \\ ' \" $1 %s"),
      "c:empty": "",
    };
    for (const [id, record] of Object.entries(records)) await written(state, session, id, record);
    for (const [id, record] of Object.entries(records))
      assert.ok((await state.read(session, id))?.record === record, id);
  });
}

const TRICKY = [
  "",
  " ",
  "a",
  "A",
  "a ",
  '"',
  '","',
  "'",
  "\\",
  "\\0",
  "/",
  ":",
  "a:b",
  "|",
  "\n",
  "ä",
  "a\u0308",
  "🙂",
  "%",
  "_",
];
const UNSTORABLE = ["\0", "\u0001", "\u00010", "\u00011", "\ud800", "\udfff", "\u0001d800", "\ufffd", "\uffff"];

function keys(add: Add): void {
  add("sessions, users and apps are apart, whatever characters their names have", async (state, { session }) => {
    const parts = [...TRICKY, ...UNSTORABLE];
    const all = parts.flatMap((part) => [
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
      assert.deepEqual(
        found.map(({ record }) => record),
        [String(index)],
        JSON.stringify(key),
      );
    }
  });

  add("the parts of a key are not run together", async (state, { session }) => {
    const apart = [
      ["a", "b", `c${session}`],
      ["ab", "", `c${session}`],
      ["", "ab", `c${session}`],
      ["a,b", "", `c${session}`],
      ["a", "bc", session],
      ['a","b', "", `c${session}`],
      ["a/b", "c", session],
      ["a", "b/c", session],
      ["a\0b", "c", session],
      ["a", "b\0c", session],
    ] as const;
    for (const [index, [app, user, name]] of apart.entries()) {
      await written(state, { app, user, session: name }, "c:1", String(index));
    }
    for (const [index, [app, user, name]] of apart.entries()) {
      assert.equal((await state.read({ app, user, session: name }, "c:1"))?.record, String(index));
    }
  });

  add("ids are apart and come back as they were", async (state, session) => {
    const ids = [...TRICKY, ...UNSTORABLE].map((part) => `c:${part}`);
    for (const id of ids) await written(state, session, id, JSON.stringify(id));
    for (const id of ids) assert.deepEqual((await state.read(session, id))?.record, JSON.stringify(id));
    const listed = await state.list(session, "confirmation");
    assert.deepEqual(listed.map(({ id }) => id).sort(), [...ids].sort());
    for (const { id, record } of listed) assert.equal(record, JSON.stringify(id));
  });

  add("an id of 256 bytes is taken, a longer one is refused", async (state, session) => {
    const longest = `c:${"ä".repeat(127)}`;
    await written(state, session, longest, "a");
    assert.equal((await state.read(session, longest))?.record, "a");
    await assert.rejects(async () => state.write(session, `${longest}b`, "b", undefined), /256 bytes/);
    assert.deepEqual(await idsOf(state, session), [longest]);
  });
}

function lists(add: Add): void {
  add("a list ascends by id, whatever the order of writing", async (state, session) => {
    const ids = ["c:b", "c:10", "c:B", "c:2", "c:", "c:a", "c:_", "c:ä", "c:a1", "c:漢", "c:1"];
    for (const id of ids) await written(state, session, id, "x");
    assert.deepEqual(await idsOf(state, session), [...ids].sort());
    assert.deepEqual(await state.list(freshSession(), "confirmation"), []);
  });

  add("a list has one kind only", async (state, session) => {
    for (const id of ["c:1", "q:1", "r:1", "h:1", "b:1", "d:1", "c", "C:1", "c;1"])
      await written(state, session, id, id);
    const kinds = ["confirmation", "question", "resumption", "history"] as const;
    const found = await Promise.all(kinds.map((kind) => state.list(session, kind)));
    assert.deepEqual(
      found.map((list) => list.map(({ id }) => id)),
      [["c:1"], ["q:1"], ["r:1"], ["h:1"]],
    );
  });

  add("a list goes on after an id, which need not exist", async (state, session) => {
    for (const id of ["c:1", "c:2", "c:3", "h:9"]) await written(state, session, id, id);
    assert.deepEqual(await idsOf(state, session, "c:1"), ["c:2", "c:3"]);
    assert.deepEqual(await idsOf(state, session, "c:11"), ["c:2", "c:3"]);
    assert.deepEqual(await idsOf(state, session, "c:3"), []);
    assert.deepEqual(await idsOf(state, session, ""), ["c:1", "c:2", "c:3"]);
    assert.deepEqual(await idsOf(state, session, "a"), ["c:1", "c:2", "c:3"]);
    assert.deepEqual(await idsOf(state, session, "d"), []);
  });

  add("a list has each record with the version and age that a read gives", async (state, session) => {
    const version = await written(state, session, "c:1", "a");
    const [listed] = await state.list(session, "confirmation");
    assert.deepEqual([listed?.record, listed?.version], ["a", version]);
    assertAge(listed?.ageMs);
  });
}

function ages(add: Add): void {
  add("a record's age is a whole number of ms that grows, and starts again with each write", async (state, session) => {
    const first = await written(state, session, "c:1", "a");
    assertAge(await ageOf(state, session));
    await until(async () => (await ageOf(state, session)) >= 40);
    await written(state, session, "c:2", "of another id");
    assert.ok((await ageOf(state, session)) >= 40, "another record's write made it young");
    const before = performance.now();
    await written(state, session, "c:1", "b", first);
    const age = await ageOf(state, session);
    assert.ok(age <= Math.ceil(performance.now() - before) + 5, `${age} ms old just after the write`);
    await until(async () => (await ageOf(state, session)) > age);
  });
}

function subscriptions(add: Add): void {
  add("a subscriber hears each write of its session until it leaves", async (state, session) => {
    if (!state.subscribe) return;
    const heard: string[] = [];
    const other: string[] = [];
    const leave = await state.subscribe(session, (id) => heard.push(id));
    const leaveOther = await state.subscribe(session, (id) => other.push(id));
    await written(state, freshSession(), "c:elsewhere", "a");
    const version = await written(state, session, "c:1 ä \"' \0", "a");
    await until(async () => heard.length === 1 && other.length === 1);
    await written(state, session, "c:1 ä \"' \0", null, version);
    await until(async () => heard.length === 2 && other.length === 2);
    assert.deepEqual(await state.write(session, "c:gone", "x", version), { conflict: true });
    leave();
    await written(state, session, "c:2", "a");
    await until(async () => other.length === 3);
    assert.deepEqual(heard, ["c:1 ä \"' \0", "c:1 ä \"' \0"]);
    assert.deepEqual(other.slice(2), ["c:2"]);
    leaveOther();
  });

  add("who subscribes again, also while another leaves, hears again", async (state, session) => {
    if (!state.subscribe) return;
    for (let round = 0; round < 3; round++) {
      const first = await state.subscribe(session, () => {});
      first();
      const heard: string[] = [];
      const leave = await state.subscribe(session, (id) => heard.push(id));
      await written(state, session, `c:${round}`, "a");
      await until(async () => heard.length > 0);
      assert.deepEqual(heard, [`c:${round}`]);
      leave();
    }
  });
}

/** A session that no other case uses. */
function sessions(add: Add): void {
  const all = async (state: SessionState, filter?: { user: string }): Promise<SessionKey[]> => {
    const found: SessionKey[] = [];
    for await (const key of state.sessions?.(filter) ?? []) found.push(key);
    return found.map(({ app, user, session }) => ({ app, user, session }));
  };

  add("the sessions with a confirmation are listed once each, whatever is in their names", async (state) => {
    if (!state.sessions) return;
    const user = randomUUID();
    const keys = ["a", "\0", "\ud800", '"', "\u0001", "漢"].map((name) => ({ app: `ack${name}`, user, session: name }));
    for (const key of keys) for (const id of ["c:1", "c:2", "h:1"]) await written(state, key, id, "a");
    await written(state, { app: "ack", user, session: "history only" }, "h:1", "a");
    const own = (await all(state)).filter((key) => key.user === user);
    const text = (key: SessionKey): string => JSON.stringify([key.app, key.user, key.session]);
    assert.deepEqual(own.map(text).sort(), keys.map(text).sort());
  });

  add("sessions of one user only, also more than a page of them", async (state) => {
    if (!state.sessions) return;
    const user = randomUUID();
    const keys = Array.from({ length: 250 }, (_, index) => ({ app: "ack", user, session: String(index) }));
    await Promise.all(keys.map((key) => written(state, key, "c:1", "a")));
    await written(state, freshSession(), "c:1", "a");
    const found = await all(state, { user });
    assert.deepEqual(new Set(found.map(({ session }) => session)), new Set(keys.map(({ session }) => session)));
    assert.deepEqual([found.length, found.every((key) => key.user === user)], [250, true]);
  });
}

export function freshSession(): SessionKey {
  return { app: "ack", user: "u1", session: randomUUID() };
}

/** Writes and gives the version; a conflict is a failure. */
export async function written(
  state: SessionState,
  session: SessionKey,
  id: string,
  record: string | null,
  ifVersion?: string,
): Promise<string> {
  const outcome = await state.write(session, id, record, ifVersion);
  assert.ok("version" in outcome, `the write of ${JSON.stringify(id)} was a conflict`);
  return outcome.version;
}

/** Waits for a condition; the test's own time limit is the guard. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function stateOf(state: SessionState, session: SessionKey, id: string): Promise<unknown[]> {
  const found = await state.read(session, id);
  return [found?.record, found?.version];
}

async function idsOf(state: SessionState, session: SessionKey, after?: string): Promise<string[]> {
  return (await state.list(session, "confirmation", after)).map(({ id }) => id);
}

async function ageOf(state: SessionState, session: SessionKey): Promise<number> {
  const found = await state.read(session, "c:1");
  assert.ok(found);
  return found.ageMs;
}

function assertAge(ageMs: number | undefined): void {
  assert.ok(Number.isSafeInteger(ageMs) && (ageMs as number) >= 0, `an age of ${ageMs}`);
}
