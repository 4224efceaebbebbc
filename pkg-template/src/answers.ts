import { type Scope, withInput } from "./calls.js";
import { MODES, stricterMode } from "./checks.js";
import { within } from "./clock.js";
import { messageOf } from "./error.js";
import type { Owner, Purpose } from "./judge.js";
import { type Fits, misfit } from "./misfit.js";
import type { Policies } from "./policies.js";
import { type Hooks, preapproved, resolvePaths } from "./policy/hooks.js";
import type { Settings } from "./settings.js";
import { stoppable } from "./signals.js";
import type { Call, GrantQuery, Mode, ToolCall } from "./types.js";
import type { Answer, Step } from "./wasm/types.js";

/** What the core asks of the host. */
export type Asked = Exclude<Step, { type: "settled" }>;
/** Who answers, and for whom. */
export interface Host {
  readonly settings: Settings;
  readonly policies: Policies;
  readonly closing: AbortSignal;
  readonly hooks: Hooks;
  readonly scope: Scope;
  readonly owner: Owner;
  readonly purpose: Purpose;
  readonly fits: Fits;
}

/** Asks the host's callback for one step. Whatever that does wrong is thrown. */
export async function answer(host: Host, step: Asked, input: (call: ToolCall) => Call): Promise<Answer> {
  const { settings, policies, closing, hooks, scope, owner, purpose } = host;
  const { tier, sources, grants, sourceTimeoutMs, clock, app } = settings;
  const { context } = scope;
  const bounded = <T>(work: T | PromiseLike<T>): Promise<T> =>
    within(clock, sourceTimeoutMs, stoppable(work, [scope.signal, closing]), () => {
      throw new Error(`no answer within ${sourceTimeoutMs} ms`);
    });
  switch (step.type) {
    case "validate":
      return { type: "validated", detail: await bounded(misfit(input(step.call), host.fits)) };
    case "consultTier": {
      const call = input(step.call);
      return { type: "tier", tier: word(synchronous(policies.asking(() => tier?.(call, context)))) };
    }
    case "realPath": {
      const { paths, failed } = policies.asking(() => resolvePaths(hooks, step.paths));
      if (failed !== undefined && paths.every((path) => path === null)) throw new Error(failed);
      return { type: "realPaths", paths };
    }
    case "preapprove": {
      const call = input(step.call);
      return { type: "preapproved", id: policies.asking(() => preapproved(hooks, call, call.input)) };
    }
    case "consultPolicy": {
      const said = await bounded(sources[step.index]?.consult(input(step.call), context));
      if (typeof said !== "object" || said === null) return { type: "verdict", verdict: word(said) ?? "" };
      const { verdict, reason } = said as { verdict?: unknown; reason?: unknown };
      return { type: "verdict", verdict: word(verdict) ?? "", reason: typeof reason === "string" ? reason : undefined };
    }
    case "lookupGrant": {
      const found = await bounded(grants?.lookup(queryOf(step.call, app, owner), context));
      // As text and back: a getter that throws, or a value JSON does not carry, is this source's failure.
      return { type: "grants", grants: found === undefined ? [] : JSON.parse(JSON.stringify([found].flat())) };
    }
    case "consumeGrant": {
      // Looking takes no use: it answers what would happen.
      const taken = purpose === "look" || (await bounded(grants?.consume?.(step.grant, context))) === true;
      return { type: "consumed", taken };
    }
    default:
      return step satisfies never;
  }
}

/** The mode of a call: the gate's and the run's, the stricter. A function that gives no mode means `read_only`. */
export function modeOf(settings: Settings, policies: Policies, scope: Scope, call: ToolCall): Mode | undefined {
  const { mode, logger } = settings;
  if (typeof mode !== "function") return stricterMode(mode, scope.mode);
  try {
    // Empty text is `{}`; what can't be read is refused by the core.
    const full = withInput({ ...call, arguments: call.arguments || "{}" });
    const given: unknown = synchronous(policies.asking(() => mode(full, scope.context)));
    if (!(MODES as readonly unknown[]).includes(given)) throw new Error("it gave no mode");
    return stricterMode(given as Mode, scope.mode);
  } catch (error) {
    logger.warn("`mode` failed, so it counts as `read_only`", { tool: call.toolName, error: messageOf(error) });
    return "read_only";
  }
}

function queryOf(call: ToolCall, app: string, owner: Owner): GrantQuery {
  const { sessionId, toolName, server } = call;
  return {
    app,
    userId: owner.user,
    sessionId,
    toolName,
    ...(server !== undefined && { server }),
    arguments: call.arguments,
  };
}

/** A promise is no opinion; nobody waits for it, so its rejection is heard here. */
function synchronous(value: unknown): unknown {
  if (value instanceof Promise) value.catch(() => {});
  return value;
}

/** A word as it is, nothing as nothing, and anything else as a text that no word equals. */
function word(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : `not a word: ${typeof value}`;
}
