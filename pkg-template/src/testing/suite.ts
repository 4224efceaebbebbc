/** One case of a suite. `run` rejects when the case fails. */
export interface SuiteCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}
export interface SuiteOptions<Store> {
  /** The same store through another client, as another process has it. Without it those cases have one client only. */
  beside?: ((store: Store) => Store | PromiseLike<Store>) | undefined;
}
/** A case's body gets a store and the same store as another process has it. */
export type Body<Store> = (store: Store, beside: Store) => Promise<void>;
export type Add<Store> = (name: string, body: Body<Store>) => void;

/** The cases that the parts add, each on what `create` gives it. */
export function suiteOf<Store>(
  parts: readonly ((add: Add<Store>) => void)[],
  create: () => Store | PromiseLike<Store>,
  { beside }: SuiteOptions<Store>,
): readonly SuiteCase[] {
  const cases: SuiteCase[] = [];
  const add: Add<Store> = (name, body) => {
    const run = async (): Promise<void> => {
      const store = await create();
      await body(store, (await beside?.(store)) ?? store);
    };
    cases.push({ name, run });
  };
  for (const part of parts) part(add);
  return cases;
}
