import { messageOf } from "./error.js";
import type { Run } from "./tools.js";
import type { CallInfo } from "./types.js";

const NOT_KEPT = JSON.stringify({ status: "executed", note: "the tool ran; its result was not kept" });

/** What a tool's run came to: the value or error for the live caller, and the message for the model. */
export type Ran =
  | { readonly execution: "ran"; readonly content: string; readonly value: unknown }
  | { readonly execution: "failed"; readonly detail: string; readonly error: unknown }
  | { readonly execution: "none"; readonly detail: string };

/** Runs a tool on a fresh parse of the text that was judged. */
export async function runTool(run: Run, text: string, info: CallInfo, limit: number): Promise<Ran> {
  try {
    const value = await run(JSON.parse(text) as object, info);
    return { execution: "ran", value, content: messageFor(value, limit) };
  } catch (error) {
    return { execution: "failed", error, detail: messageOf(error) };
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
