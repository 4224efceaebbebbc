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

/** Runs `body` in a scope, and whatever it returns or resolves with: async iterables and observables re-enter it. */
export function runIn<R>(scope: RunScope, body: () => R): R {
  if (!storage) {
    const advice = "pass `sessionId` in each call";
    throw new AckError("no_session", `\`gate.run\` needs AsyncLocalStorage, which is not here: ${advice}`);
  }
  return reenter(storage, scope, storage.run(scope, body));
}

function reenter<R>(store: Storage, scope: RunScope, value: R): R {
  if (value instanceof Promise) return value.then((result) => reenter(store, scope, result)) as R;
  if (typeof value !== "object" || value === null) return value;
  const iterable = Symbol.asyncIterator in value;
  if (!iterable && typeof (value as { subscribe?: unknown }).subscribe !== "function") return value;
  const inside = (run: () => unknown): unknown => store.run(scope, run);
  return new Proxy(value, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      // A frozen object's own members can't be replaced.
      const fixed = Reflect.getOwnPropertyDescriptor(target, name)?.configurable === false;
      if (typeof member !== "function" || fixed) return member;
      if (name === Symbol.asyncIterator) return () => reenterIterator(inside, target, member as () => unknown);
      // A method that makes a new stream of this one keeps the scope by going through this object.
      if (name === "pipe") return member;
      return (...args: unknown[]) => inside(() => member.apply(target, args));
    },
  });
}

function reenterIterator(inside: (run: () => unknown) => unknown, target: object, open: () => unknown) {
  const inner = inside(() => Reflect.apply(open, target, [])) as AsyncIterator<unknown>;
  const step = (name: "next" | "return" | "throw") => (value?: unknown) => inside(() => inner[name]?.(value as never));
  const outer = { next: step("next"), [Symbol.asyncIterator]: () => outer };
  for (const name of ["return", "throw"] as const) if (inner[name]) Object.assign(outer, { [name]: step(name) });
  return outer;
}
