// The public types of the root entry. Optional fields that users fill are `?: T | undefined`, so that
// `signal: options.abortSignal` compiles under exactOptionalPropertyTypes.

export type * from "./types/call.js";
export type * from "./types/gate.js";
export type * from "./types/host.js";
export type * from "./types/policy.js";
export type * from "./types/record.js";
export type * from "./types/tool.js";
export type * from "./types/words.js";
