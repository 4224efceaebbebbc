export { type AgentHandlerOptions, agentHandler } from "./handler.js";
export { middleware } from "./middleware.js";
export type { WrapOptions } from "./options.js";
export { wrapAgent } from "./wrap.js";
