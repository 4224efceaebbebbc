import type { SessionKey } from "../types.js";

type Versions = (session: SessionKey) => Promise<Map<string, string>>;

/** Subscriptions without LISTEN: each compares its session's versions every so many milliseconds. */
export function polled(versions: Versions, pollMs: number) {
  const timers = new Set<() => void>();
  return {
    async subscribe(session: SessionKey, changed: (id: string) => void): Promise<() => void> {
      let known = await versions(session);
      let timer: ReturnType<typeof setTimeout> | undefined;
      let over = false;
      const stop = (): void => {
        over = true;
        clearTimeout(timer);
        timers.delete(stop);
      };
      const look = async (): Promise<void> => {
        // A store that fails is reported to whoever reads it next.
        const now = await versions(session).catch(() => known);
        if (over) return;
        const ids = new Set([...known.keys(), ...now.keys()]);
        for (const id of ids) if (known.get(id) !== now.get(id)) queueMicrotask(() => changed(id));
        known = now;
        wait();
      };
      const wait = (): void => {
        timer = setTimeout(look, pollMs);
      };
      timers.add(stop);
      wait();
      return stop;
    },
    async end(): Promise<void> {
      for (const stop of [...timers]) stop();
    },
  };
}
