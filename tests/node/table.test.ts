// tableState: what every store must do, and what a host's map gets to see.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGate, type SessionKey, type SessionMap, type SessionState, STATE_KEY, tableState } from "ackgate";
import { sessionStateSuite } from "ackgate/testing";
import { freshSession, written } from "./store-steps.js";

const LIMIT = { timeout: 120_000 };

/** A host's store: every call takes a turn of the event loop, as one over a network does. */
class HostMap implements SessionMap {
  readonly texts = new Map<string, string>();
  failing: Error | undefined;

  async get(session: SessionKey, key: string): Promise<string | undefined> {
    await this.#away();
    return this.texts.get(nameOf(session, key));
  }

  async set(session: SessionKey, key: string, value: string | undefined): Promise<void> {
    await this.#away();
    if (value === undefined) this.texts.delete(nameOf(session, key));
    else this.texts.set(nameOf(session, key), value);
  }

  async #away(): Promise<void> {
    await new Promise(setImmediate);
    if (this.failing) throw this.failing;
  }
}

const nameOf = (session: SessionKey, key: string): string =>
  JSON.stringify([session.app, session.user, session.session, key]);

describe("tableState", LIMIT, () => {
  const map = new HostMap();
  const states = { beside: () => tableState(map) };
  for (const { name, run } of sessionStateSuite(() => tableState(map), states)) test(name, run);

  test("all records of a session are one JSON object under the key, confirmations by their id", async () => {
    const host = new HostMap();
    const state = tableState(host);
    const session = freshSession();
    const version = await written(state, session, "c:call-1", '{"a":1}');
    await written(state, session, "r:run-1", "{}");
    assert.deepEqual([...host.texts.keys()], [nameOf(session, "__pending_tool_confirmation__")]);
    const table = tableOf(host, session);
    assert.deepEqual(Object.keys(table), ["call-1", "r:run-1"]);
    const { writtenAt, ...entry } = table["call-1"] as { writtenAt: number };
    assert.deepEqual(entry, { record: '{"a":1}', version });
    assert.ok(Math.abs(Date.now() - writtenAt) < 60_000);
  });

  test("the last record takes the table with it", async () => {
    const host = new HostMap();
    const state = tableState(host);
    const session = freshSession();
    await written(state, session, "c:1", null, await written(state, session, "c:1", "a"));
    assert.equal(host.texts.size, 0);
  });

  test("names in the table are apart, whatever an id looks like", async () => {
    const state = tableState(new HostMap());
    const session = freshSession();
    const ids = ["c", "c:", "c:c", "c:c:", "::", "::c", "c:::c", ":::c", "a:b", "c:a:b", "c::", "c:a", "", "x", "c:x"];
    for (const id of ids) await written(state, session, id, id);
    for (const id of ids) assert.equal((await state.read(session, id))?.record, id);
  });

  test("a table that can't be read is an error and stays as it is", async () => {
    const host = new HostMap();
    const state = tableState(host);
    const session = freshSession();
    const corrupt = { code: "state_corrupt" };
    for (const text of ["", "{", "null", "[]", '"a"', '{"1":null}', '{"1":{"record":1,"version":"1","writtenAt":1}}']) {
      host.texts.set(nameOf(session, STATE_KEY), text);
      await assert.rejects(state.read(session, "c:1"), corrupt, text);
      await assert.rejects(state.list(session, "confirmation"), corrupt, text);
      await assert.rejects(state.write(session, "c:1", "a", undefined), corrupt, text);
      assert.equal(host.texts.get(nameOf(session, STATE_KEY)), text);
    }
  });

  test("fields that others keep in an entry stay", async () => {
    const host = new HostMap();
    const state = tableState(host);
    const session = freshSession();
    await written(state, session, "c:1", "a");
    const table = tableOf(host, session);
    host.texts.set(nameOf(session, STATE_KEY), JSON.stringify({ 1: { ...table["1"], note: "kept" } }));
    await written(state, session, "c:2", "a");
    assert.equal(tableOf(host, session)["1"]?.note, "kept");
  });

  test("a map that fails is each call's error, and holds up nobody afterwards", async () => {
    const host = new HostMap();
    const state = tableState(host);
    const session = freshSession();
    host.failing = new Error("the map is away");
    const outcomes = await Promise.allSettled([1, 2].map((id) => state.write(session, `c:${id}`, "a", undefined)));
    assert.ok(outcomes.every((outcome) => outcome.status === "rejected"));
    await assert.rejects(state.read(session, "c:1"), /the map is away/);
    host.failing = undefined;
    await written(state, session, "c:1", "a");
  });

  test("a gate works on it, and a second one picks up what is open", async () => {
    const host = new HostMap();
    const options = { defaultTier: "confirm", tools: { delete_note: () => "deleted" } } as const;
    const asking = createGate({ ...options, state: tableState(host) });
    const call = { toolCallId: "t1", toolName: "delete_note", arguments: "{}", sessionId: "s1" };
    const running = asking.execute(call);
    const deciding = createGate({ ...options, state: tableState(host) });
    let open = await deciding.pending("s1");
    while (open.length === 0) open = await deciding.pending("s1");
    await deciding.decide({ sessionId: "s1", confirmationId: open[0]?.confirmationId ?? "", approved: true });
    assert.equal((await running).content, '"deleted"');
    await Promise.all([asking.close(), deciding.close()]);
  });

  test("what is no map is refused", () => {
    for (const map of [undefined, {}, { get: () => {} }]) {
      assert.throws(() => tableState(map as unknown as SessionMap), { code: "bad_options", message: /takes a map/ });
    }
    const state: SessionState = tableState(new HostMap());
    assert.deepEqual([state.exclusive, state.durable], [undefined, undefined]);
  });
});

function tableOf(host: HostMap, session: SessionKey): Record<string, Record<string, unknown> | undefined> {
  return JSON.parse(host.texts.get(nameOf(session, STATE_KEY)) ?? "null");
}
