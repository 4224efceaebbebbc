export { type Approver, fakeApprover } from "./approver.js";
export { type FakeClock, fakeClock } from "./fake-clock.js";
export { grantSourceSuite } from "./grant-source.js";
export {
  type ModelAnswer,
  type ModelCall,
  type ModelMessage,
  type ModelTurn,
  type ScriptedCall,
  type ScriptedModel,
  scriptedModel,
} from "./model.js";
export { type Recorder, recorder } from "./recorder.js";
export { type FakeRunner, fakeRunner, type RunOutcome } from "./runner.js";
export type { Answer, Script } from "./script.js";
export { sessionStateSuite } from "./session-state.js";
export type { SuiteCase, SuiteOptions } from "./suite.js";
export { type TestGate, type TestGateOptions, testGate } from "./test-gate.js";
