import { messageOf } from "../error.js";
import { wellFormed } from "../json.js";
import type { Input, PolicyOptions, ToolCall } from "../types.js";

/** What the host can say of a call: what a path really is, and that it approved the call beforehand. */
export type Hooks = Pick<PolicyOptions, "realPath" | "preapprove">;
type Named = Pick<ToolCall, "toolName" | "server">;
/** A hook's answers; `failed` is the first thing that went wrong. */
export interface Resolved {
  readonly paths: readonly (string | null)[];
  readonly failed: string | undefined;
}

/** Resolves each path; one that the hook throws at, or gives no text for, is null. */
export function resolvePaths({ realPath }: Hooks, paths: readonly string[]): Resolved {
  let failed: string | undefined;
  const resolved = paths.map((path) => {
    try {
      return textOf("realPath", realPath?.(path));
    } catch (error) {
      failed ??= messageOf(error);
      return null;
    }
  });
  return { paths: resolved, failed };
}

/**
 * The hook's id, empty for none. Throws what the hook throws, and when it gives anything but a text or nothing.
 * INVARIANT: a name that could be read as another server's tool is never approved beforehand.
 */
export function preapproved({ preapprove }: Hooks, named: Named, input: Input): string {
  if ((named.server ?? named.toolName).includes("/")) return "";
  const id: unknown = preapprove?.(keyOf(named), input);
  return id === undefined ? "" : textOf("preapprove", id);
}
/** A promise is no answer; nobody waits for it, so its rejection is heard here. */
function textOf(hook: string, value: unknown): string {
  if (value instanceof Promise) value.catch(() => {});
  if (typeof value === "string" && wellFormed(value)) return value;
  throw new Error(`\`${hook}\` gave no text; it must answer at once`);
}

/** How documents, tables and hooks call a tool: `server/tool` for a server's. */
export function keyOf({ toolName, server }: Named): string {
  return server === undefined ? toolName : `${server}/${toolName}`;
}

/** What a key names: the other way round. */
export function namedBy(key: string): Named {
  const at = key.indexOf("/");
  return at < 1 ? { toolName: key } : { server: key.slice(0, at), toolName: key.slice(at + 1) };
}
