const events = globalThis.process?.getBuiltinModule?.("node:events");

/** For a signal that many calls listen to at once: Node would take that for a leak. */
export function forMany(signal: AbortSignal): AbortSignal {
  events?.setMaxListeners(0, signal);
  return signal;
}

/** The work's result, or a rejection as soon as one of the signals aborts. */
export function stoppable<T>(work: T | PromiseLike<T>, signals: readonly (AbortSignal | undefined)[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error("the run was stopped"));
    if (signals.some((signal) => signal?.aborted)) stop();
    for (const signal of signals) signal?.addEventListener("abort", stop, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        for (const signal of signals) signal?.removeEventListener("abort", stop);
      });
  });
}

/** A run that timed out ends its questions as expired, one that was stopped as canceled. */
export function endingOf(signal: AbortSignal): "canceled" | "expired" {
  return (signal.reason as { name?: unknown } | undefined)?.name === "TimeoutError" ? "expired" : "canceled";
}
