export interface Sentence {
  readonly text: string;
  readonly refused: boolean;
}

/** What a tool call came to, told to the person from its result and nothing else. */
export function sentence(name: string, args: string, content: string): Sentence {
  const { id = "" } = parsed(args) as { id?: string };
  const doing =
    { read_note: `reading ${id}`, delete_note: `deleting ${id}`, wipe_notes: "wiping all notes" }[name] ?? name;
  const result = parsed(content);
  if (isRefusal(result)) return { text: refusal(doing, result.reason), refused: true };
  if (Array.isArray(result)) return { text: listed(result), refused: false };
  const { missing, title } = result as { missing?: string; title?: string };
  if (missing !== undefined) return { text: `There is no note ${missing}.`, refused: false };
  const past = { read_note: "I read", delete_note: "I deleted" }[name] ?? `I have used ${name}`;
  return { text: `${past} ${id}${title === undefined ? "" : ` (“${title}”)`}.`, refused: false };
}

function refusal(doing: string, reason: string): string {
  if (/declined/.test(reason)) return `You declined ${doing}, so I left it alone.`;
  if (/not permitted/.test(reason)) return `I'm not permitted ${doing}.`;
  return `I did not get to ${doing}: ${reason}`;
}

function listed(notes: readonly { id: string; title: string }[]): string {
  if (notes.length === 0) return "There are no notes.";
  return `Your notes: ${notes.map(({ id, title }) => `${id} (“${title}”)`).join(", ")}.`;
}

function isRefusal(result: unknown): result is { reason: string } {
  return (result as { status?: unknown }).status === "denied";
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
