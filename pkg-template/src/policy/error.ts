import { AckError } from "../error.js";
import type { Diagnostic } from "../types.js";

/** A policy that can't be used: `code` is "bad_policy", `diagnostics` says where and why. */
export class PolicyError extends AckError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const lines = errors.map((diagnostic) => `\n  ${lineOf(diagnostic)}`).join("");
    super("bad_policy", `the policy has ${errors.length} ${errors.length === 1 ? "error" : "errors"}${lines}`);
    this.name = "PolicyError";
    this.diagnostics = diagnostics;
  }
}

/** A diagnostic in one line: `policy.json:3:12: …`. */
export function lineOf({ document, line, column, message, hint }: Diagnostic): string {
  const place = [document, line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
  return `${place && `${place}: `}${message}${hint === undefined ? "" : ` (hint: ${hint})`}`;
}
