// The package's types have exactly the words of the core: one list, `tests/vectors/words.json`, checked on both sides.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  type Basis,
  EVENT_NAME,
  PATH_LIVE,
  PATH_RECOVERY,
  type Scope,
  STATE_KEY,
  type Status,
  type Tier,
  type Verdict,
} from "ackgate";

/** A list of every member of a union; one too many or too few does not compile. */
const every =
  <T extends string>() =>
  <const L extends readonly T[]>(...list: [T] extends [L[number]] ? L : never): readonly string[] =>
    list;

const WORDS: Record<string, readonly string[]> = {
  tier: every<Tier>()("allow", "confirm", "deny"),
  verdict: every<Verdict>()("abstain", "allow", "confirm", "deny"),
  scope: every<Scope>()("session", "global"),
  status: every<Status>()("pending", "approved", "denied", "canceled", "expired", "superseded"),
  basis: every<Basis>()(
    "tier",
    "verdict",
    "endorsement",
    "grant",
    "duplicate",
    "canceled",
    "persist-failed",
    "expired",
    "superseded",
    "no-human",
    "invalid-arguments",
    "engine-failed",
  ),
  constant: [EVENT_NAME, STATE_KEY, PATH_LIVE, PATH_RECOVERY],
};

const table = JSON.parse(readFileSync(new URL("../vectors/words.json", import.meta.url), "utf8")) as {
  cases: { name: string; words: string[] }[];
};
for (const { name, words } of table.cases) test(`the words of ${name}`, () => assert.deepEqual(WORDS[name], words));
test("no enumeration is missing", () => {
  assert.deepEqual(Object.keys(WORDS).sort(), table.cases.map(({ name }) => name).sort());
});
