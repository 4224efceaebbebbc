import type { Listen } from "./listening.js";
import type { Queryable } from "./postgres-client.js";

/** LISTEN on a channel: PGlite's own, or a session of a Pool's. */
export function listenTo(client: Queryable, channel: string): Listen {
  return async (heard, lost) => {
    if (client.listen) return client.listen(channel, heard);
    const session = await client.connect?.();
    if (!session) throw new TypeError("the client can't `connect`");
    let over = false;
    const end = async (): Promise<void> => {
      if (over) return;
      over = true;
      // Destroyed: back in the pool it would go on listening.
      session.release(true);
    };
    session.on("notification", (told) => {
      if (!over && told.channel === channel) heard(told.payload ?? "");
    });
    // A lost connection is an event; unheard it would end the process. The next subscriber connects again.
    (session as unknown as { on(event: "error", f: () => void): unknown }).on("error", () => {
      lost();
      void end();
    });
    try {
      await session.query(`LISTEN ${channel}`);
    } catch (error) {
      await end();
      throw error;
    }
    return end;
  };
}
