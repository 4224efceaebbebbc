import type { PGlite } from "@electric-sql/pglite";

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

const EXAMPLES: readonly Note[] = [
  { id: "n1", title: "Groceries", body: "Oat milk, bread, three lemons, coffee." },
  { id: "n2", title: "Old draft", body: "First try at the newsletter. The second one was sent." },
  { id: "n3", title: "Meeting of last month", body: "Nobody remembers what was decided." },
  { id: "n4", title: "Birthday ideas", body: "A book about lighthouses, or a kite." },
];

/** The notes, in a table beside the gate's own. */
export class Notes {
  readonly #db: PGlite;

  private constructor(db: PGlite) {
    this.#db = db;
  }

  static async open(db: PGlite): Promise<Notes> {
    const notes = new Notes(db);
    const { rows } = await db.query("SELECT to_regclass('notes') AS found");
    if ((rows[0] as { found: unknown }).found === null) {
      await db.exec("CREATE TABLE notes (id text PRIMARY KEY, title text NOT NULL, body text NOT NULL)");
      await notes.restore();
    }
    return notes;
  }

  async list(): Promise<Note[]> {
    return (await this.#db.query<Note>("SELECT id, title, body FROM notes ORDER BY id")).rows;
  }

  async read(id: string): Promise<Note | undefined> {
    return (await this.#db.query<Note>("SELECT id, title, body FROM notes WHERE id = $1", [id])).rows[0];
  }

  async delete(id: string): Promise<Note | undefined> {
    const deleted = "DELETE FROM notes WHERE id = $1 RETURNING id, title, body";
    return (await this.#db.query<Note>(deleted, [id])).rows[0];
  }

  async wipe(): Promise<void> {
    await this.#db.query("DELETE FROM notes");
  }

  /** Puts the examples back that are gone. */
  async restore(): Promise<void> {
    const insert = "INSERT INTO notes VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    for (const { id, title, body } of EXAMPLES) await this.#db.query(insert, [id, title, body]);
  }
}
