import { init } from "./init.js";

await init();

export * from "./api.js";
