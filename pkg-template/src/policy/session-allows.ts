import { AckError } from "../error.js";
import type { SessionAllows } from "../types.js";

/** Keeps what a person allowed for one session, for `policy.check`; a gate keeps grants instead. */
export function createSessionAllows(): SessionAllows {
  const allows = new Map<string, { readonly tool: string; readonly content: string }>();
  return {
    allowForSession(tool, content) {
      for (const [name, value] of Object.entries({ tool, content })) {
        if (typeof value !== "string") throw new AckError("bad_request", `\`${name}\` must be a text`);
      }
      if (tool === "") throw new AckError("bad_request", "`tool` must not be empty");
      const key = JSON.stringify([tool, content]);
      if (!allows.has(key)) allows.set(key, Object.freeze({ tool, content }));
    },
    resetSession: () => allows.clear(),
    sessionAllows: () => (allows.size === 0 ? null : [...allows.values()]),
  };
}
