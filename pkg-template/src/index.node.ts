import { readFileSync } from "node:fs";
import { load } from "./engine.js";

load(new WebAssembly.Module(readFileSync(new URL("./wasm/ackgate_bg.wasm", import.meta.url))));

export * from "./api.js";
