import type { GrantSource } from "../types.js";
import { lists } from "./grant-lists.js";
import { lookups } from "./grant-lookups.js";
import { uses } from "./grant-uses.js";
import { type SuiteCase, type SuiteOptions, suiteOf } from "./suite.js";

/**
 * What every GrantSource must do, as cases like those of `sessionStateSuite`. The cases use users of their own, so
 * `create` may give the same source, or the same database, every time. What a source can't do (`list`, `revoke`,
 * `consume`) is not asked of it.
 */
export function grantSourceSuite(
  create: () => GrantSource | PromiseLike<GrantSource>,
  options: SuiteOptions<GrantSource> = {},
): readonly SuiteCase[] {
  return suiteOf([lookups, uses, lists], create, options);
}
