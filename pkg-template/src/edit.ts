import { argumentsOf } from "./calls.js";
import { callOf } from "./endings.js";
import { AckError } from "./error.js";
import type { House } from "./house.js";
import type { Context, Decision } from "./types.js";
import type { View } from "./wasm/types.js";

/**
 * The arguments that a person wants to run instead, judged before anything is written. `bad_request` when they can't be
 * read or do not fit, `forbidden` when the policy of this moment denies them.
 */
export async function editOf(
  house: House,
  { editedArguments }: Pick<Decision, "editedArguments">,
  view: View,
  context: Context,
): Promise<{ arguments: string; digest: string } | undefined> {
  if (editedArguments === undefined) return undefined;
  const { text, invalid } = argumentsOf(editedArguments);
  const call = { ...callOf(view), arguments: text };
  const owner = { user: view.payload.userId, named: true };
  const scope = { sessionId: call.sessionId, context };
  // The person endorses the call: only a deny stands against it.
  const { outcome } = await house.judge.judge({ call, scope, invalid }, owner, "again");
  if (outcome.disposition !== "deny") {
    const { arguments: edited, digest } = outcome;
    // The same call in other words is the call that was shown.
    return digest === view.payload.argumentsDigest ? undefined : { arguments: edited, digest };
  }
  const { refusal } = outcome;
  if (refusal.kind === "invalidArguments") throw new AckError("bad_request", `\`editedArguments\`: ${refusal.detail}`);
  if (refusal.kind === "engineFailed") throw new AckError("internal", "the edited call could not be judged");
  const rule = refusal.kind === "tierDisabled" && refusal.rule !== undefined ? ` by \`${refusal.rule}\`` : "";
  throw new AckError("forbidden", `the edited call is denied${rule}: edit it again, or decide about the call as shown`);
}
