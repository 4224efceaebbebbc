// What must be true of the JavaScript and the wasm that come out of wasm-bindgen.

/** Declarations for `ackgate_bg.js`, made from those for the entry that we do not use. No DOM type: users check them. */
export function declarations(entryTypes, glue) {
  const lines = [entryTypes.trimEnd(), "", "export function __wbg_set_wasm(exports: object): void;"];
  if (glue.includes("export function __wbindgen_init_externref_table(")) {
    lines.push("export function __wbindgen_init_externref_table(): void;");
  }
  return `${lines.join("\n")}\n`;
}

/** The glue would free an exported struct of an instance that was replaced in the new one. */
export function checkGlue(glue) {
  if (glue.includes("FinalizationRegistry")) throw new Error("ackgate_bg.js: export functions, not structs");
}

/** A bare JS value as a result aborts Node 20 and 22 in hot code. */
export function checkExportTypes(wasmTypes) {
  const bare = wasmTypes.split("\n").filter((line) => line.includes("=> any"));
  if (bare.length > 0) throw new Error(`an export returns a bare JS value, return a Result:\n${bare.join("\n")}`);
}

export function checkModule(bytes) {
  const module = new WebAssembly.Module(bytes);
  const foreign = WebAssembly.Module.imports(module).filter((entry) => entry.module !== "./ackgate_bg.js");
  if (foreign.length > 0) throw new Error(`the wasm imports more than its glue: ${JSON.stringify(foreign)}`);
  const traps = WebAssembly.Module.exports(module).filter((entry) => entry.name.includes("trap"));
  if (traps.length > 0) throw new Error(`the wasm has test exports: ${traps.map((entry) => entry.name)}`);
}
