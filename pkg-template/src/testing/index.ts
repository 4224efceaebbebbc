export { grantSourceSuite } from "./grant-source.js";
export { sessionStateSuite } from "./session-state.js";
export type { SuiteCase, SuiteOptions } from "./suite.js";
