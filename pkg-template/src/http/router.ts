import { AckError, messageOf } from "../error.js";
import type { Context, Handler, Logger } from "../types.js";
import { failed, refuse } from "./respond.js";

/** One route: its exact path, its one method, and what it does once the caller is known. */
export interface Route {
  readonly path: string;
  readonly method: "GET" | "POST";
  serve(request: Request, context: Context): Response | Promise<Response>;
}
export interface RouterOptions {
  readonly identify: (request: Request) => Context | PromiseLike<Context>;
  readonly logger?: Logger | undefined;
}

/** A fetch handler over routes, checking in this order: path, method, content type, `identify`, body. */
export function createRouter(routes: readonly Route[], options: RouterOptions): Handler {
  const at = (path: string) => routes.filter((route) => route.path === path);

  async function handle(request: Request): Promise<Response> {
    const here = at(pathOf(request));
    if (here.length === 0) return refuse(404, "not_found", "no such route");
    const route = here.find(({ method }) => method === request.method);
    if (route === undefined) {
      const allow = here.map(({ method }) => method).join(", ");
      return refuse(405, "bad_request", `the method must be ${allow}`, { allow });
    }
    if (route.method === "POST" && !isJson(request)) {
      return refuse(415, "bad_request", "the content type must be `application/json`");
    }
    const who = await identified(request, options);
    return who instanceof Response ? who : route.serve(request, who);
  }

  const handler = (request: Request) => handle(request).catch((error) => failed(error, options.logger));
  const matches = (target: Request | string) => at(pathOf(target)).length > 0;
  return Object.assign(handler, { matches });
}

/** `"ack/"`, `"/ack"` and `"ack"` are one base; `""` and `"/"` are the root. */
export function normalBase(base: string): string {
  const parts = base.split("/").filter((part) => part !== "");
  return parts.map((part) => `/${part}`).join("");
}

function pathOf(target: Request | string): string {
  if (typeof target !== "string") return new URL(target.url).pathname;
  if (!target.startsWith("/")) return URL.canParse(target) ? new URL(target).pathname : target;
  return target.split(/[?#]/, 1)[0] ?? target;
}

function isJson(request: Request): boolean {
  const type = request.headers.get("content-type") ?? "";
  return type.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

async function identified(request: Request, { identify, logger }: RouterOptions): Promise<Context | Response> {
  try {
    const context: unknown = await identify(request);
    // A forgotten return must not become the default user.
    if (typeof context === "object" && context !== null) return context as Context | Response;
    logger?.warn("`identify` returned no context: return an object, or throw a Response to refuse");
  } catch (error) {
    if (error instanceof Response) return error;
    if (AckError.is(error) && error.code === "forbidden") return failed(error, logger);
    logger?.warn("`identify` refused a request", { error: messageOf(error) });
  }
  return refuse(401, "forbidden", "the caller is not known");
}
