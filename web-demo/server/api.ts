import type { Handler } from "ackgate";
import type { Identity } from "./identity.ts";
import type { Notes } from "./notes.ts";

const PATH = "/api/notes";

/** GET lists the notes, POST puts the examples back. */
export function notesApi(notes: Notes, identify: Identity["identify"]): Handler {
  async function handle(request: Request): Promise<Response> {
    identify(request);
    if (request.method === "POST") {
      // What no form of another site can send.
      if (request.headers.get("content-type") !== "application/json") return new Response(null, { status: 415 });
      await notes.restore();
    } else if (request.method !== "GET") {
      return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
    }
    return Response.json(await notes.list(), { headers: { "cache-control": "no-store" } });
  }
  const pathOf = (target: Request | string) => (typeof target === "string" ? target : new URL(target.url).pathname);
  return Object.assign(
    (request: Request) =>
      handle(request).catch((error: unknown) => {
        if (error instanceof Response) return error;
        throw error;
      }),
    { matches: (target: Request | string) => pathOf(target).split("?", 1)[0] === PATH },
  );
}
