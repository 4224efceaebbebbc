import { load } from "./engine.js";
import { base64 } from "./wasm/ackgate_bg.base64.js";

load(new WebAssembly.Module(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))));

export * from "./api.js";
