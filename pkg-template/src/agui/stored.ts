import { AckError } from "../error.js";

/** The fields of a thread's stored record. Throws `state_corrupt` for one that this version cannot read. */
export function fieldsOf<T extends object>(id: string, record: string, is: (fields: Partial<T>) => boolean): T {
  try {
    const { v, ...fields } = JSON.parse(record) as { v?: unknown } & Partial<T>;
    if (v === 1 && is(fields as Partial<T>)) return fields as T;
  } catch {
    // As good as a record of another form.
  }
  throw new AckError("state_corrupt", `the thread's \`${id}\` record cannot be read`);
}
