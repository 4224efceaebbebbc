import type { Tier } from "ackgate";

/** What each tool may do on its own. The server's gate and the page's preview read this one table. */
export const tiers = {
  list_notes: "allow",
  read_note: "allow",
  delete_note: "confirm",
  wipe_notes: "deny",
} as const satisfies Record<string, Tier>;
