import type { AbstractAgent } from "@ag-ui/client";
import { AckError } from "../error.js";
import { keyOf } from "../memory.js";
import type { Gate, SessionKey } from "../types.js";
import type { RunStyle } from "./options.js";
import { type RunRequest, ThreadRun } from "./thread-run.js";

/** The runs of one handler: at most one for each owner's thread. */
export class Runs {
  readonly #active = new Map<string, ThreadRun>();
  readonly #setup: { readonly gate: Gate; readonly agent: AbstractAgent; readonly style: RunStyle };

  constructor(setup: { gate: Gate; agent: AbstractAgent; style: RunStyle }) {
    this.#setup = setup;
  }

  /** Starts a run, or throws `run_active`. */
  start(request: RunRequest): ThreadRun {
    const id = keyOf(request.session);
    if (this.#active.has(id))
      throw new AckError("run_active", "a run of this thread is active: wait for its end or cancel it");
    const run = new ThreadRun(
      {
        ...this.#setup,
        release: () => this.#active.delete(id),
        alone: () => this.#active.size === 1,
      },
      request,
    );
    this.#active.set(id, run);
    return run;
  }

  find(session: SessionKey): ThreadRun | undefined {
    return this.#active.get(keyOf(session));
  }
}
