import type { SessionState } from "../types.js";
import { ages, subscriptions } from "./state-changes.js";
import { keys } from "./state-keys.js";
import { lists, sessions } from "./state-lists.js";
import { races } from "./state-races.js";
import { writes } from "./state-writes.js";
import { type SuiteCase, type SuiteOptions, suiteOf } from "./suite.js";

/**
 * What every SessionState must do, as cases and not as calls to a test runner:
 * `for (const { name, run } of sessionStateSuite(create)) test(name, run)`. `create` is called for each case. The cases
 * use sessions of their own, so it may give the same store, or the same database, every time. No case cleans up.
 */
export function sessionStateSuite(
  create: () => SessionState | PromiseLike<SessionState>,
  options: SuiteOptions<SessionState> = {},
): readonly SuiteCase[] {
  return suiteOf([writes, races, keys, lists, sessions, ages, subscriptions], create, options);
}
