import { shallowRef } from "vue";
import { get, post } from "../http.ts";

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** The notes beside the chat. They stay as they are while the server is away. */
export function useNotes() {
  const notes = shallowRef<readonly Note[]>([]);
  const take = async (answer: Promise<Note[]>) => {
    notes.value = await answer.catch(() => notes.value);
  };
  return {
    notes,
    refresh: () => take(get<Note[]>("/api/notes")),
    restore: () => take(post<Note[]>("/api/notes", {})),
  };
}
