import type { SessionState } from "ackgate";

/** The same store, of whose notifications those are lost that `lost` says. */
export function lossy(state: SessionState, lost: (id: string) => boolean): SessionState {
  const subscribe = state.subscribe?.bind(state);
  if (!subscribe) throw new TypeError("the store can't be subscribed to");
  return {
    ...state,
    subscribe: (session, changed) =>
      subscribe(session, (id) => {
        if (!lost(id)) changed(id);
      }),
  };
}
