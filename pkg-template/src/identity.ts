import { AckError } from "./error.js";
import type { Owner } from "./judge.js";
import type { Settings } from "./settings.js";
import type { Context } from "./types.js";

/** Who acts: the context's person, else the option `user`, else nobody in particular. */
export function actorOf(settings: Settings, context: Context): string {
  return personOf(context) ?? settings.user ?? "user";
}

/** Whose session it is. */
export async function ownerOf(settings: Settings, sessionId: string, context: Context): Promise<Owner> {
  if (!settings.owner) {
    return { user: actorOf(settings, context), named: (personOf(context) ?? settings.user) !== undefined };
  }
  const user: unknown = await settings.owner(sessionId, context);
  if (typeof user !== "string" || user === "") throw new AckError("forbidden", "`owner` gave no user for this session");
  return { user, named: true };
}

/** An empty name is nobody's. */
function personOf({ user }: Context): string | undefined {
  return typeof user === "string" && user !== "" ? user : undefined;
}
