// The user's own login: random session tokens, which the test reads from the process's first line.
import { randomBytes } from "node:crypto";

const token = () => randomBytes(32).toString("base64url");
const sessions = new Map([
  [token(), "ann"],
  [token(), "bob"],
]);

export async function userOfSession(token: string): Promise<string | undefined> {
  return sessions.get(token);
}

const entries = [...sessions].map(([token, user]) => [user, token]);
console.log(JSON.stringify(Object.fromEntries(entries)));
