import type { AnyEvent } from "./events.js";

/** Who hears a run: each of its events, then once that there are no more. */
export interface Listener {
  event(event: AnyEvent): void;
  end(): void;
}
export interface Source {
  attach(listener: Listener): () => void;
}

/** Passes a run's events on to whoever listens, who comes too late hears the last one; a listener that throws is left out from then on. */
export class Feed implements Source {
  readonly #listeners = new Set<Listener>();
  #last: AnyEvent | undefined;
  #ended = false;

  attach(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#ended) queueMicrotask(() => this.#tellEnd());
    return () => this.#listeners.delete(listener);
  }

  publish(event: AnyEvent): void {
    this.#last = event;
    this.#each((listener) => listener.event(event));
  }

  end(): void {
    this.#ended = true;
    this.#each((listener) => listener.end());
    this.#listeners.clear();
  }

  #tellEnd(): void {
    const last = this.#last;
    if (last !== undefined) this.#each((listener) => listener.event(last));
    this.end();
  }

  #each(tell: (listener: Listener) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        tell(listener);
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }
}

/** A source's events from this moment on, to iterate over, until `stop`; leaving the loop only detaches. */
export function eventsOf(source: Source, stop?: AbortSignal): AsyncIterable<AnyEvent> {
  const waiting: AnyEvent[] = [];
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  const detach = source.attach({
    event(event) {
      waiting.push(event);
      wake();
    },
    end,
  });
  const stopped = () => {
    detach();
    end();
  };
  stop?.addEventListener("abort", stopped);
  if (stop?.aborted) stopped();
  return (async function* () {
    try {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else if (ended) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      stop?.removeEventListener("abort", stopped);
      detach();
    }
  })();
}

/** What a generator gives, as a source for one listener; `stop` aborts when the listener leaves. */
export function sourceOf(events: (stop: AbortSignal) => AsyncIterable<AnyEvent>): Source {
  return {
    attach(listener) {
      const stop = new AbortController();
      const pump = async () => {
        for await (const event of events(stop.signal)) {
          if (stop.signal.aborted) return;
          listener.event(event);
        }
        if (!stop.signal.aborted) listener.end();
      };
      // A listener that throws is left out from then on.
      pump().catch(() => stop.abort());
      return () => stop.abort();
    },
  };
}
