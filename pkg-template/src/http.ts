import { AckError } from "./error.js";
import { bad, Fields, readObject } from "./http/body.js";
import { json } from "./http/respond.js";
import { createRouter, normalBase } from "./http/router.js";
import { hostOf } from "./internal.js";
import { rejectUnknown } from "./names.js";
import { rulesFrom } from "./policies.js";
import type { Decision, Gate, Handler, HandlerOptions } from "./types.js";

const BODY_LIMIT = 64 * 1024;
const NOT_YET = ["editedArguments", "expectedDigest", "grant"] as const;

/** The routes of a gate: POST {base}/confirmation, GET {base}/confirmations and, when it is given, GET {base}/policy. */
export function createHandler(gate: Pick<Gate, "decide" | "pending">, options: HandlerOptions): Handler {
  rejectUnknown("the handler", options, ["identify", "base", "publicPolicy"]);
  const base = normalBase(checked(options).base ?? "/ack");
  const { publicPolicy } = options;
  const document = publicPolicy && rulesFrom(publicPolicy).document();
  return createRouter(
    [
      {
        path: `${base}/confirmation`,
        method: "POST",
        async serve(request, context) {
          const decision = decisionOf(new Fields(await readObject(request, BODY_LIMIT)));
          const { path, status, replayed } = await gate.decide(decision, { context });
          return json(200, replayed === true ? { path, status, replayed } : { path, status });
        },
      },
      {
        path: `${base}/confirmations`,
        method: "GET",
        async serve(request, context) {
          const threadId = new URL(request.url).searchParams.get("threadId");
          if (threadId === null || threadId === "") throw bad("`threadId` must be given in the query");
          return json(200, await gate.pending(threadId, { context }));
        },
      },
      ...(document ? [{ path: `${base}/policy`, method: "GET", serve: () => json(200, document) } as const] : []),
    ],
    { identify: options.identify, logger: hostOf(gate)?.logger },
  );
}

/** The options every handler needs, checked; there is no default identity. */
export function checked<O extends HandlerOptions>(options: O): O {
  if (typeof options?.identify !== "function") {
    throw new AckError("bad_options", "`identify` must be a function: it says who a request is from");
  }
  if (options.base !== undefined && typeof options.base !== "string") {
    throw new AckError("bad_options", '`base` must be a path like "/ack"');
  }
  return options;
}

function decisionOf(body: Fields): Decision {
  const sessionId = body.id("threadId");
  const confirmationId = body.id("confirmationId");
  const approved = body.flag("approved");
  const remember = body.word("remember", ["session", "global"]);
  const note = body.text("note");
  for (const name of NOT_YET) {
    if (body.has(name)) throw bad(`\`${name}\` is not supported: leave it out, the call runs as it was shown`);
  }
  return approved
    ? { sessionId, confirmationId, approved, ...(remember !== undefined && { remember }) }
    : { sessionId, confirmationId, approved, ...(note !== undefined && { note }) };
}
