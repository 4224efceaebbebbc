import { randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "ackgate";

const COOKIE = "notes_session";

export interface Identity {
  readonly cookie: string;
  /** For the page's answer: what makes a browser the person's. */
  readonly setCookie: string;
  /** Who a request is from; throws a 401 Response for anybody else. */
  identify(request: Request): Context;
}

/**
 * The routes that approve must need a credential which the agent's own tools do not hold, or an agent could approve
 * itself. Here it is a cookie that comes with the page, to a browser and out of scripts' reach; these tools fetch
 * nothing. Where tools can reach this server, only a login will do.
 */
export function createIdentity(folder: string): Identity {
  const token = storedToken(join(folder, "session-token"));
  const cookie = `${COOKIE}=${token}`;
  return {
    cookie,
    setCookie: `${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    identify(request) {
      const cookies = (request.headers.get("cookie") ?? "").split(/;\s*/);
      const given = cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
      if (given !== undefined && same(given, token)) return { user: "you" };
      const error = { code: "forbidden", message: "reload the page: this browser has no session" };
      throw Response.json({ error }, { status: 401 });
    },
  };
}

function storedToken(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
