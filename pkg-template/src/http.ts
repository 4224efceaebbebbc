import { checkDecision, FIELDS, known } from "./decision.js";
import { AckError } from "./error.js";
import { bad, Fields, readObject } from "./http/body.js";
import { json } from "./http/respond.js";
import { createRouter, normalBase } from "./http/router.js";
import { eventsOf } from "./http/stream.js";
import { type HostSide, hostOf } from "./internal.js";
import { rejectUnknown } from "./names.js";
import { rulesFrom } from "./policies.js";
import type { Context, Decision, Gate, GrantOffer, Handler, HandlerOptions, JsonObject } from "./types.js";

const BODY_LIMIT = 64 * 1024;
/** A decision's fields but for what only the host says; the session is a thread here. */
const BODY = ["threadId", ...FIELDS.filter((name) => name !== "sessionId" && name !== "decidedBy")];

/** The routes of a gate: POST {base}/confirmation, GET {base}/confirmations and …/stream and, when it is given, GET {base}/policy. */
export function createHandler(gate: Pick<Gate, "decide" | "pending">, options: HandlerOptions): Handler {
  rejectUnknown("the handler", options, ["identify", "base", "publicPolicy"]);
  const base = normalBase(checked(options).base ?? "/ack");
  const { publicPolicy } = options;
  const host: HostSide | undefined = hostOf(gate);
  // An edit carries arguments.
  const edit = { field: "editedArguments", bytes: host?.argumentsBytes ?? 0 };
  const document = publicPolicy && rulesFrom(publicPolicy).document();
  return createRouter(
    [
      {
        path: `${base}/confirmation`,
        method: "POST",
        async serve(request, context) {
          const decision = decisionOf(await readObject(request, BODY_LIMIT, edit));
          const { path, status, replayed } = await gate.decide(decision, { context });
          return json(200, replayed === true ? { path, status, replayed } : { path, status });
        },
      },
      {
        path: `${base}/confirmations`,
        method: "GET",
        async serve(request, context) {
          return json(200, await gate.pending(threadIdOf(request), { context }));
        },
      },
      ...(host
        ? [
            {
              path: `${base}/confirmations/stream`,
              method: "GET",
              async serve(request: Request, context: Context) {
                const stop = new AbortController();
                const lists = await host.openLists(threadIdOf(request), context, stop.signal);
                return eventsOf((left) => {
                  left.addEventListener("abort", () => stop.abort());
                  return lists;
                }, host.clock);
              },
            } as const,
          ]
        : []),
      ...(document ? [{ path: `${base}/policy`, method: "GET", serve: () => json(200, document) } as const] : []),
    ],
    { identify: options.identify, logger: host?.logger },
  );
}

function threadIdOf(request: Request): string {
  const threadId = new URL(request.url).searchParams.get("threadId");
  if (threadId === null || threadId === "") throw bad("`threadId` must be given in the query");
  return threadId;
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

/** INVARIANT: an answer with a part that is not understood is no answer: the rest of it may say more than the whole. */
function decisionOf(value: object): Decision {
  known("a decision", value, BODY);
  const body = new Fields(value);
  const sessionId = body.id("threadId");
  const confirmationId = body.id("confirmationId");
  const approved = body.flag("approved");
  const remember = body.word("remember", ["session", "global"]);
  const note = body.text("note");
  const expectedDigest = body.text("expectedDigest");
  const decided = { sessionId, confirmationId, expectedDigest };
  const grant = body.get("grant") as GrantOffer | undefined;
  const editedArguments = body.get("editedArguments") as string | JsonObject | undefined;
  if (!approved && editedArguments !== undefined) throw bad("a denial takes no `editedArguments`");
  const answer = approved ? { approved, remember, grant, editedArguments } : { approved, note };
  const given = Object.entries({ ...decided, ...answer }).filter(([, value]) => value !== undefined);
  const decision = Object.fromEntries(given) as unknown as Decision;
  checkDecision(decision, false);
  return decision;
}
