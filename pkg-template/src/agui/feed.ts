import type { AnyEvent } from "./events.js";

/** Who hears a run: each of its events, then once that there are no more. */
export interface Listener {
  event(event: AnyEvent): void;
  end(): void;
}
export interface Source {
  attach(listener: Listener): () => void;
}

/** Passes a run's events on to whoever listens; a listener that throws is left out from then on. */
export class Feed implements Source {
  readonly #listeners = new Set<Listener>();

  attach(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: AnyEvent): void {
    this.#each((listener) => listener.event(event));
  }

  end(): void {
    this.#each((listener) => listener.end());
    this.#listeners.clear();
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

/** A source's events from this moment on, to iterate over; leaving the loop only detaches. */
export function eventsOf(source: Source): AsyncIterable<AnyEvent> {
  const waiting: AnyEvent[] = [];
  let ended = false;
  let wake = () => {};
  const detach = source.attach({
    event(event) {
      waiting.push(event);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
  });
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
      detach();
    }
  })();
}
