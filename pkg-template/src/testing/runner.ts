import { bad, checkWord } from "../checks.js";
import { AckError } from "../error.js";
import type { Context, ResumeRunner, RunAgentInput } from "../types.js";

/** What becomes of a run: it starts, it ends before it has started, it is refused because another one is active, or nothing is heard of it. */
export type RunOutcome = "starts" | "fails" | "run_active" | "hangs";

export interface FakeRunner extends ResumeRunner {
  /** What it was given to resume with, in order, whatever became of it. */
  readonly runs: readonly { readonly input: RunAgentInput; readonly context: Context }[];
  run(input: RunAgentInput, context: Context): AsyncIterable<{ readonly type: string }>;
}

const WORDS: readonly RunOutcome[] = ["starts", "fails", "run_active", "hangs"];

/** A runner for `gate.resumeWith`, with an outcome for each run in order; the last one repeats. */
export function fakeRunner(outcomes: RunOutcome | readonly RunOutcome[] = "starts"): FakeRunner {
  const list = typeof outcomes === "string" ? [outcomes] : outcomes;
  if (list.length === 0) throw bad("`fakeRunner` needs an outcome");
  for (const outcome of list) checkWord("outcome", outcome ?? null, WORDS);
  const runs: { input: RunAgentInput; context: Context }[] = [];
  return {
    runs,
    run(input, context) {
      const outcome = list[runs.length] ?? list.at(-1);
      runs.push({ input, context });
      if (outcome === "run_active") throw new AckError("run_active", "another run is active on this thread");
      return events(input, outcome);
    },
  };
}

async function* events({ threadId, runId }: RunAgentInput, outcome: RunOutcome | undefined) {
  if (outcome === "hangs") await new Promise(() => {});
  if (outcome !== "starts") return;
  yield { type: "RUN_STARTED", threadId, runId };
  yield { type: "RUN_FINISHED", threadId, runId };
}
