import { bad, checkWord } from "../checks.js";
import { deepFreeze, writeJson } from "../json.js";
import { rejectUnknown } from "../names.js";
import type { JsonObject, PolicyDocument, PolicyLayer } from "../types.js";
import type { Layer } from "../wasm/types.js";
import { PolicyError } from "./error.js";

export type Source = string | JsonObject | PolicyDocument;

/** What a merged document was made of, so that its lines stay known. */
const merged = new WeakMap<object, readonly Layer[]>();

/** Remembers the layers of a merged document. INVARIANT: it is frozen, so the layers always say what it says. */
export function remember(document: PolicyDocument, layers: readonly Layer[]): PolicyDocument {
  merged.set(deepFreeze(document), layers);
  return document;
}

/** A source as layers. Throws PolicyError for an object that JSON does not carry. */
export function layersOf(source: Source, name: string, restrict = false): readonly Layer[] {
  if (typeof source === "string") return [{ name, text: wellFormedText(source), restrict, positions: true }];
  if (typeof source !== "object" || source === null) throw bad("a policy is a document object, or its text");
  const known = merged.get(source);
  if (known) return restrict ? known.map((layer) => ({ ...layer, restrict })) : known;
  const { text, refused } = writeJson(source, "the document", true);
  if (refused !== undefined) {
    const message = `the document can't be written as JSON: ${refused}`;
    throw new PolicyError([{ severity: "error", code: "not-json", message, ...(name !== "" && { document: name }) }]);
  }
  return [{ name, text, restrict, positions: false }];
}

/** The layers of `mergePolicies`, in order. Throws `bad_options` for what is no layer. */
export function layersOfAll(given: readonly PolicyLayer[]): readonly Layer[] {
  return given.flatMap((layer, index) => {
    const where = `layer ${index + 1} of \`mergePolicies\``;
    if (typeof layer !== "object" || layer === null)
      throw bad(`${where} must be an object with \`name\` and \`document\``);
    rejectUnknown(where, layer, ["name", "document", "trust"]);
    if (typeof layer.name !== "string" || layer.name === "") throw bad(`${where} needs a \`name\``);
    checkWord(`trust of \`${layer.name}\``, layer.trust, ["full", "restrict"]);
    return layersOf(layer.document, layer.name, layer.trust === "restrict");
  });
}

/** What is no text gets as far as the parser, which refuses the character that stands for it. */
function wellFormedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\0");
}
