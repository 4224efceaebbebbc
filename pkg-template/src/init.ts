import { load } from "./engine.js";
import { AckError } from "./error.js";

let loading: Promise<void> | undefined;

/**
 * Loads the wasm: bytes, a compiled module, a URL or a Response; without one the file beside this module.
 * A second call gives the first one's promise; after a failure the next call tries again.
 */
export function init(source?: string | URL | ArrayBuffer | ArrayBufferView | object): Promise<void> {
  loading ??= compile(source ?? new URL("./wasm/ackgate_bg.wasm", import.meta.url)).then(load);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function compile(source: string | URL | object): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source as BufferSource);
  if (typeof source === "string" || source instanceof URL) return compile(await open(source));
  if (source instanceof Response) {
    if (!source.ok) throw new AckError("not_loaded", `the wasm can't be fetched: HTTP status ${source.status}`);
    return WebAssembly.compile(await source.arrayBuffer());
  }
  throw new AckError("not_loaded", "`init` takes bytes, a compiled module, a URL or a Response");
}

/** Node's `fetch` knows no file URLs. */
function open(source: string | URL): Promise<Response> | ArrayBufferView {
  const url = String(source);
  if (!url.startsWith("file:")) return fetch(url);
  const { readFileSync } = globalThis.process.getBuiltinModule("node:fs");
  return readFileSync(new URL(url));
}
