import type { RunAgentInput } from "@ag-ui/client";
import type { Answer } from "../decide.js";
import { checkDecision, known } from "../decision.js";
import { messageOf } from "../error.js";
import { isObject } from "../json.js";
import type { GrantOffer, JsonObject, Scope } from "../types.js";

/** A `resume` that can't be read as answers; nothing of it is recorded. */
export class InvalidResume extends Error {}

/** What may come with a yes. */
const FIELDS = ["approved", "remember", "grant", "editedArgs", "expectedDigest", "note"];

/** As it should be; whether it is so is checked as for any other decision. */
interface Given {
  readonly remember?: Scope;
  readonly grant?: GrantOffer;
  readonly expectedDigest?: string;
  readonly editedArgs?: JsonObject;
}
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
  const given: JsonObject = isObject(payload) ? { ...payload } : { approved: payload };
  if (given.approved !== true) {
    const note = typeof given.note === "string" ? { note: given.note } : {};
    return { confirmationId: interruptId, decision: "denied", ...note };
  }
  return approvalOf(interruptId, given, where);
}

/** What comes with a yes. INVARIANT: what can't be understood is not passed over, or more would be approved than was meant. */
function approvalOf(confirmationId: string, given: JsonObject, where: string): Answer {
  known(where, given, FIELDS);
  const { remember, grant, expectedDigest, editedArgs } = given as Given;
  if ("editedArgs" in given && !isObject(editedArgs)) {
    throw new InvalidResume(`${where} has \`editedArgs\` that are no object`);
  }
  const rest = { confirmationId, remember, grant, expectedDigest, editedArguments: editedArgs };
  try {
    checkDecision({ ...rest, sessionId: "", approved: true }, false);
  } catch (error) {
    throw new InvalidResume(`${where}: ${messageOf(error)}`);
  }
  return { ...rest, decision: "approved" };
}

/** The input without the answers that were the gate's; what an agent asked itself stays. */
export function withoutAnswers(input: RunAgentInput, ids: ReadonlySet<string>): RunAgentInput {
  if (ids.size === 0) return input;
  const { resume, ...rest } = input as RunAgentInput & { resume?: readonly { interruptId: string }[] };
  const others = (resume ?? []).filter(({ interruptId }) => !ids.has(interruptId));
  return (others.length > 0 ? { ...rest, resume: others } : rest) as RunAgentInput;
}
