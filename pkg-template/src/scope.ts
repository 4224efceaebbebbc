import { AckError } from "./error.js";
import type { RunScope } from "./types.js";

interface Storage {
  run<R>(scope: RunScope, body: () => R): R;
  getStore(): RunScope | undefined;
}

// Had without a static import, so that a bundle for the browser needs no Node module.
const hooks = globalThis.process?.getBuiltinModule?.("node:async_hooks");
const storage: Storage | undefined = hooks && new hooks.AsyncLocalStorage<RunScope>();

/** The scope of the run this code belongs to. */
export function currentScope(): RunScope | undefined {
  return storage?.getStore();
}

/** Runs `body` in a scope, and whatever it returns: async iterables and observables re-enter it. */
export function runIn<R>(scope: RunScope, body: () => R): R {
  if (!storage) {
    throw new AckError(
      "no_session",
      "`gate.run` needs AsyncLocalStorage, which is not here: pass `sessionId` in each call",
    );
  }
  return reenter(storage, scope, storage.run(scope, body));
}

function reenter<R>(store: Storage, scope: RunScope, value: R): R {
  if (typeof value !== "object" || value === null) return value;
  if (!(Symbol.asyncIterator in value) && typeof (value as { subscribe?: unknown }).subscribe !== "function")
    return value;
  return new Proxy(value, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== "function") return member;
      if (name === "subscribe") return (...args: unknown[]) => store.run(scope, () => member.apply(target, args));
      if (name === Symbol.asyncIterator)
        return () =>
          iterator(
            store,
            scope,
            store.run(scope, () => member.call(target)),
          );
      if (name === "next" || name === "return" || name === "throw") {
        return (...args: unknown[]) => store.run(scope, () => member.apply(target, args));
      }
      return member;
    },
  });
}

function iterator(store: Storage, scope: RunScope, inner: AsyncIterator<unknown>): AsyncIterator<unknown> {
  const wrapped: AsyncIterator<unknown> = { next: (...args) => store.run(scope, () => inner.next(...args)) };
  if (inner.return) wrapped.return = (value) => store.run(scope, () => inner.return?.(value)) as never;
  if (inner.throw) wrapped.throw = (error) => store.run(scope, () => inner.throw?.(error)) as never;
  return wrapped;
}
