// What every store must do, of the stores in memory; and that the suites notice what does not.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type GrantSource, memoryGrants, memoryState, type SessionKey, type SessionState } from "ackgate";
import { grantSourceSuite, sessionStateSuite } from "ackgate/testing";

const LIMIT = { timeout: 120_000 };

describe("memoryState", LIMIT, () => {
  for (const { name, run } of sessionStateSuite(memoryState)) test(name, run);
});

describe("memoryGrants", LIMIT, () => {
  for (const { name, run } of grantSourceSuite(memoryGrants)) test(name, run);
});

describe("the suites notice", LIMIT, () => {
  const states: [what: string, spoil: (state: SessionState) => Partial<SessionState>][] = [
    [
      "a write that looks at no version",
      (state) => ({ write: async (session, id, record) => force(state, session, id, record) }),
    ],
    ["a list in another order", (state) => ({ list: async (...of) => (await state.list(...of)).reverse() })],
    ["a list that ignores `after`", (state) => ({ list: (session, kind) => state.list(session, kind) })],
    [
      "kinds that are mixed up",
      (state) => ({ list: (session, _, after) => state.list(session, "confirmation", after) }),
    ],
    ["keys that run together", (state) => spoiledKeys(state)],
  ];
  for (const [what, spoil] of states) {
    test(what, () => fails(sessionStateSuite(() => spoiled(memoryState(), spoil))));
  }

  const sources: [what: string, spoil: (source: GrantSource) => Partial<GrantSource>][] = [
    [
      "global grants first",
      (source) => ({ lookup: async (...of) => [(await source.lookup(...of)) ?? []].flat().reverse() }),
    ],
    ["a use that is never taken", () => ({ consume: async () => true })],
    ["a revoked grant that stays", () => ({ revoke: async () => true })],
    ["a list without a filter", (source) => ({ list: (_, context) => source.list?.({}, context) ?? assert.fail() })],
  ];
  for (const [what, spoil] of sources) {
    test(what, () => fails(grantSourceSuite(() => spoiled(memoryGrants(), spoil))));
  }
});

function spoiled<T extends object>(store: T, spoil: (store: T) => Partial<T>): T {
  return { ...store, ...spoil(store) };
}

/** Some case fails. */
async function fails(cases: readonly { run: () => Promise<void> }[]): Promise<void> {
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  assert.ok(outcomes.some(({ status }) => status === "rejected"));
}

async function force(
  state: SessionState,
  ...[session, id, record]: [...Parameters<SessionState["read"]>, string | null]
): ReturnType<SessionState["write"]> {
  return state.write(session, id, record, (await state.read(session, id))?.version);
}

function spoiledKeys(state: SessionState): Partial<SessionState> {
  const joined = ({ app, user, session }: SessionKey): SessionKey => ({ app, user: "", session: user + session });
  return {
    read: (session, id) => state.read(joined(session), id),
    list: (session, ...rest) => state.list(joined(session), ...rest),
    write: (session, ...rest) => state.write(joined(session), ...rest),
    subscribe: async (session, changed) => (await state.subscribe?.(joined(session), changed)) ?? assert.fail(),
  };
}
