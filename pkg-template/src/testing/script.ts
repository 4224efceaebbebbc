import { bad, checkType, checkWord } from "../checks.js";
import { nearest, rejectUnknown } from "../names.js";
import { keyOf } from "../policy/hooks.js";
import type { Payload } from "../types.js";

export type Answer =
  | "approve"
  | "deny"
  /** Leaves the question open. */
  | "ignore"
  | {
      readonly approve: {
        readonly remember?: "session" | "global" | undefined;
        readonly editedArguments?: string | undefined;
      };
    }
  | { readonly deny: { readonly note?: string | undefined } };
/** Answers by tool (`server/tool` for a server's), in order; the last one repeats. A function answers every question. */
export type Script = Readonly<Record<string, Answer | readonly Answer[] | ((request: Payload) => Answer)>>;

const WORDS = ["approve", "deny", "ignore"];

/** What is left of a script. */
export class Answers {
  readonly #script: ReadonlyMap<string, Script[string]>;
  readonly #asked = new Map<string, number>();

  /** Throws `bad_options` for what is no answer, and for a name that is none of the tools where these are known. */
  constructor(script: Script, tools: readonly string[] | undefined) {
    for (const [name, answers] of Object.entries(script)) {
      checkTool(name, tools);
      if (typeof answers === "function") continue;
      for (const answer of listOf(answers)) checkAnswer(name, answer);
    }
    this.#script = new Map(Object.entries(script));
  }

  /** The answer to a question; undefined: there is none. Throws where a function of the script gives something else. */
  next(request: Payload): Answer | undefined {
    const name = keyOf(request);
    const answers = this.#script.get(name);
    if (answers === undefined) return undefined;
    const asked = this.#asked.get(name) ?? 0;
    this.#asked.set(name, asked + 1);
    if (typeof answers !== "function") return listOf(answers)[asked] ?? listOf(answers).at(-1);
    const answer = answers(request);
    checkAnswer(name, answer);
    return answer;
  }

  /** What nobody asked for. */
  left(): string[] {
    return [...this.#script].flatMap(([name, answers]) => {
      const asked = this.#asked.get(name) ?? 0;
      const given = typeof answers === "function" ? 1 : listOf(answers).length;
      if (asked >= given) return [];
      return [`\`${name}\` has ${given} scripted, and was asked about ${asked === 1 ? "once" : `${asked} times`}`];
    });
  }
}

function listOf(answers: Answer | readonly Answer[]): readonly Answer[] {
  return Array.isArray(answers) ? (answers as readonly Answer[]) : [answers as Answer];
}

function checkTool(name: string, tools: readonly string[] | undefined): void {
  if (tools === undefined || tools.includes(name)) return;
  const near = nearest(name, tools);
  const advice = near === undefined ? "guard a tool before its answers are scripted" : `did you mean \`${near}\`?`;
  throw bad(`the script answers for \`${name}\`, which is no tool of the gate; ${advice}`);
}

function checkAnswer(name: string, answer: unknown): void {
  const where = `the answer for \`${name}\``;
  if (typeof answer !== "object" || answer === null) {
    checkWord(`script.${name}`, answer ?? null, WORDS);
    return;
  }
  rejectUnknown(where, answer, ["approve", "deny"]);
  const [said, ...more] = Object.entries(answer);
  if (said === undefined || more.length > 0) throw bad(`${where} must be \`approve\` or \`deny\``);
  const [word, details] = said;
  if (typeof details !== "object" || details === null) throw bad(`${where}: \`${word}\` must be an object`);
  rejectUnknown(
    `\`${word}\` for \`${name}\``,
    details,
    word === "approve" ? ["remember", "editedArguments"] : ["note"],
  );
  checkWord(`${name}.remember`, details.remember, ["session", "global"]);
  checkType(`\`editedArguments\` for \`${name}\``, details.editedArguments, "string");
  checkType(`\`note\` for \`${name}\``, details.note, "string");
}
