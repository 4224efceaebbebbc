import { AckError } from "./error.js";

/** The known name most like `name`, or undefined when none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 2)) + 1;
  for (const candidate of known) {
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

/** Throws `bad_options` for a field that nobody reads, so that a typing error is never a silent default. */
export function rejectUnknown(what: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options ?? {})) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const advice =
      near === undefined ? `known: ${known.map((each) => `\`${each}\``).join(", ")}` : `did you mean \`${near}\`?`;
    throw new AckError("bad_options", `${what} has no option \`${name}\`; ${advice}`);
  }
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
