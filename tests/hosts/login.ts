// The user's own login: random session tokens, of which the test is told.
import { randomBytes } from "node:crypto";

const token = () => randomBytes(32).toString("base64url");
const sessions = new Map([
  [token(), "ann"],
  [token(), "bob"],
]);

export async function userOfSession(token: string): Promise<string | undefined> {
  return sessions.get(token);
}

process.send?.({ sessions: Object.fromEntries([...sessions].map(([token, user]) => [user, token])) });
