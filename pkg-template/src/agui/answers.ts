import type { RunAgentInput } from "@ag-ui/client";
import type { Answer } from "../decide.js";
import { known } from "../decision.js";
import type { GrantOffer, JsonObject, Scope } from "../types.js";

/** A `resume` that can't be read as answers; nothing of it is recorded. */
export class InvalidResume extends Error {}

/** What may come with a yes. */
const FIELDS = ["approved", "remember", "grant", "editedArgs", "expectedDigest", "note"];

interface Entry {
  readonly interruptId?: unknown;
  readonly status?: unknown;
  readonly payload?: unknown;
}

/** The answers in a run's `resume`, in its order. What comes back in an entry's `metadata` is never read. */
export function answersIn(input: RunAgentInput): Answer[] {
  const { resume } = input as { resume?: unknown };
  if (resume === undefined || resume === null) return [];
  if (!Array.isArray(resume)) throw new InvalidResume("`resume` must be a list");
  const answers = resume.map((entry: unknown, index) => answerOf((entry ?? {}) as Entry, `\`resume[${index}]\``));
  const ids = answers.map(({ confirmationId }) => confirmationId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new InvalidResume(`\`resume\` answers \`${twice}\` twice`);
  return answers;
}

function answerOf({ interruptId, status, payload }: Entry, where: string): Answer {
  if (typeof interruptId !== "string" || interruptId === "") {
    throw new InvalidResume(`${where} needs an \`interruptId\``);
  }
  if (status === "cancelled") return { confirmationId: interruptId, decision: "abandoned" };
  if (status !== "resolved") {
    throw new InvalidResume(`${where} has a \`status\` that is neither \`resolved\` nor \`cancelled\``);
  }
  const given = isObject(payload) ? payload : { approved: payload };
  if (given.approved !== true) {
    const note = typeof given.note === "string" ? { note: given.note } : {};
    return { confirmationId: interruptId, decision: "denied", ...note };
  }
  return { confirmationId: interruptId, decision: "approved", ...approvalOf(given, where) };
}

/** What comes with a yes. INVARIANT: what can't be understood is not passed over, or more would be approved than was meant. */
function approvalOf(given: JsonObject, where: string): Partial<Answer> {
  known(where, given, FIELDS);
  const { remember, grant, expectedDigest } = given;
  if ("editedArgs" in given && !isObject(given.editedArgs)) {
    throw new InvalidResume(`${where} has \`editedArgs\` that are no object`);
  }
  if (remember !== undefined && remember !== "session" && remember !== "global") {
    throw new InvalidResume(`${where} has a \`remember\` that is neither \`session\` nor \`global\``);
  }
  if (expectedDigest !== undefined && typeof expectedDigest !== "string") {
    throw new InvalidResume(`${where} has an \`expectedDigest\` that is no text`);
  }
  if (grant !== undefined && !isObject(grant)) {
    throw new InvalidResume(`${where} has a \`grant\` that is none of the suggestions`);
  }
  return {
    remember: remember as Scope | undefined,
    expectedDigest,
    grant: grant as GrantOffer | undefined,
    ...("editedArgs" in given && { editedArguments: given.editedArgs as JsonObject }),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The input without the answers that were the gate's; what an agent asked itself stays. */
export function withoutAnswers(input: RunAgentInput, ids: ReadonlySet<string>): RunAgentInput {
  if (ids.size === 0) return input;
  const { resume, ...rest } = input as RunAgentInput & { resume?: readonly { interruptId: string }[] };
  const others = (resume ?? []).filter(({ interruptId }) => !ids.has(interruptId));
  return (others.length > 0 ? { ...rest, resume: others } : rest) as RunAgentInput;
}
