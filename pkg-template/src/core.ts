export * from "./api.js";
export { init } from "./init.js";
