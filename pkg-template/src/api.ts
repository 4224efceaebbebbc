export { AckError } from "./error.js";
export { createGate } from "./gate.js";
export { memoryGrants, memoryState } from "./memory.js";
export { isDenial } from "./texts.js";
export { tool } from "./tools.js";
export type * from "./types.js";
export { customEvent, EVENT_NAME, PATH_LIVE, PATH_RECOVERY, STATE_KEY } from "./words.js";
