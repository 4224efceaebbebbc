export { type AgentHandlerOptions, agentHandler } from "./handler.js";
export type { WrapOptions } from "./options.js";
export { wrapAgent } from "./wrap.js";
