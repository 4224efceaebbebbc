import type { Notes } from "./notes.ts";

type Id = { id: string };

/** The assistant's tools. They know nothing of permission: the gate is around them. */
export function notesTools(notes: Notes) {
  return {
    list_notes: async () => (await notes.list()).map(({ id, title }) => ({ id, title })),
    read_note: async ({ id }: Id) => (await notes.read(id)) ?? { missing: id },
    delete_note: {
      // A second delete of a note does no harm, so a crash in the middle of the first is no riddle.
      idempotent: true,
      async run({ id }: Id) {
        const note = await notes.delete(id);
        return note === undefined ? { missing: id } : { deleted: id, title: note.title };
      },
    },
    wipe_notes: async () => {
      await notes.wipe();
      return { deleted: "all" };
    },
  };
}
