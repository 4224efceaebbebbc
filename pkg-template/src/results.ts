import { messageOf } from "./error.js";
import type { CallInfo } from "./types.js";
import type { Execution } from "./wasm/types.js";

const NOT_KEPT = JSON.stringify({ status: "executed", note: "the tool ran; its result was not kept" });

/** What a tool's run came to: the value or error for the live caller, the message for the model and the record. */
export type Ran = { readonly execution: Extract<Execution, "ran" | "failed">; readonly content: string } & (
  | { readonly execution: "ran"; readonly value: unknown }
  | { readonly execution: "failed"; readonly error: unknown; readonly detail: string }
);

/** Runs a tool on a fresh parse of the text that was judged. */
export async function runTool(
  run: (args: object, info: CallInfo) => unknown,
  text: string,
  info: CallInfo,
  limit: number,
): Promise<Ran> {
  try {
    const value = await run(JSON.parse(text) as object, info);
    return { execution: "ran", value, content: messageFor(value, limit) };
  } catch (error) {
    return { execution: "failed", error, detail: messageOf(error), content: NOT_KEPT };
  }
}

/** The tool message: the JSON encoding of the value. What can't be written or is over the limit is not kept. */
export function messageFor(value: unknown, limit: number): string {
  try {
    const text = JSON.stringify(value) ?? "null";
    return new TextEncoder().encode(text).length <= limit ? text : NOT_KEPT;
  } catch {
    return NOT_KEPT;
  }
}
