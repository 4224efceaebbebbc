import type { Prepared, Scope } from "./calls.js";
import { withInput } from "./calls.js";
import { within } from "./clock.js";
import * as engine from "./engine.js";
import { EngineFailure, type Stepped } from "./engine.js";
import { AckError, messageOf } from "./error.js";
import type { Settings } from "./settings.js";
import { stoppable } from "./signals.js";
import type { Call, GrantQuery, ToolCall } from "./types.js";
import type { Answer, Outcome, Setup, TraceEntry } from "./wasm/types.js";

/** Why a call is judged: to act on it, only to look (no use is taken), or once more after a person's yes (no grants). */
export type Purpose = "act" | "look" | "again";
export interface Judged {
  readonly outcome: Outcome;
  readonly trace: readonly TraceEntry[];
}
type Asked = Exclude<Stepped["step"], { type: "settled" }>;
/** Who the session belongs to, and whether that is somebody in particular. */
export interface Owner {
  readonly user: string;
  readonly named: boolean;
}

/** The driver of the step machine: it asks the host what the core wants to know, until the core has settled. */
export class Judge {
  readonly #settings: Settings;
  readonly #closing: AbortSignal;

  constructor(settings: Settings, closing: AbortSignal) {
    this.#settings = settings;
    this.#closing = closing;
  }

  async judge(prepared: Prepared, owner: Owner, purpose: Purpose, unknownTool = false): Promise<Judged> {
    const { call, scope, invalid } = prepared;
    if (invalid !== undefined) return invalidArguments(invalid);
    try {
      let stepped = engine.begin(this.#setup(owner, purpose, unknownTool), call);
      let full: Call | undefined;
      while (stepped.step.type !== "settled") {
        const { step } = stepped;
        this.#closing.throwIfAborted();
        if (scope.signal?.aborted) return stopped(scope.signal, stepped.trace);
        if (step.type !== "consumeGrant") full ??= withInput(step.call);
        stepped = await this.#next(stepped, step, full ?? withInput(call), scope, owner, purpose);
      }
      this.#closing.throwIfAborted();
      if (scope.signal?.aborted) return stopped(scope.signal, stepped.trace);
      return { outcome: stepped.step.outcome, trace: stepped.trace };
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      this.#settings.logger.error("the engine failed on a call and was replaced", {
        tool: call.toolName,
        error: messageOf(error),
      });
      return {
        outcome: { disposition: "deny", basis: "engine-failed", source: "", refusal: { kind: "engineFailed" } },
        trace: [],
      };
    }
  }

  #setup(owner: Owner, purpose: Purpose, unknownTool: boolean): Setup {
    const { tiers, defaultTier, tier, sources, grants, app, clock, limits } = this.#settings;
    return {
      tiers,
      defaultTier,
      tierFunction: tier !== undefined,
      sources: sources.map((source) => source.name),
      unknownTool,
      // The person has answered already.
      interactive: purpose === "again" || this.#settings.interactive !== false,
      argumentsBytes: limits.argumentsBytes,
      ...(grants &&
        purpose !== "again" && {
          grants: {
            app,
            userId: owner.user,
            global: owner.named,
            consume: grants.consume !== undefined,
            nowMs: Math.floor(clock.now()),
          },
        }),
    };
  }

  /** One step. Whatever a callback does wrong becomes the answer `failed`, logged with its name. */
  async #next(
    stepped: Stepped,
    step: Asked,
    call: Call,
    scope: Scope,
    owner: Owner,
    purpose: Purpose,
  ): Promise<Stepped> {
    const { state } = stepped;
    let answer: Answer;
    let cause: unknown;
    try {
      answer = await this.#ask(step, call, scope, owner, purpose);
    } catch (error) {
      answer = { type: "failed" };
      cause = error;
    }
    const next = resumeSafely(state, step.stepId, answer);
    const said = next.trace[stepped.trace.length];
    if (said?.said === "failed") {
      const error = cause === undefined ? "it gave an unknown word" : messageOf(cause);
      this.#settings.logger.warn(`\`${said.asked}\` failed, so it counts as no approval`, {
        tool: call.toolName,
        error,
      });
    }
    return next;
  }

  async #ask(step: Asked, call: Call, scope: Scope, owner: Owner, purpose: Purpose): Promise<Answer> {
    const { tier, sources, grants, sourceTimeoutMs, clock, app } = this.#settings;
    const bounded = <T>(work: T | PromiseLike<T>): Promise<T> =>
      within(clock, sourceTimeoutMs, stoppable(work, [scope.signal, this.#closing]), () => {
        throw new Error(`no answer within ${sourceTimeoutMs} ms`);
      });
    switch (step.type) {
      case "consultTier":
        return { type: "tier", tier: word(synchronous(tier?.(call, scope.context))) };
      case "consultPolicy": {
        const said = await bounded(sources[step.index]?.consult(call, scope.context));
        if (typeof said !== "object" || said === null) return { type: "verdict", verdict: word(said) ?? "" };
        const { verdict, reason } = said as { verdict?: unknown; reason?: unknown };
        return {
          type: "verdict",
          verdict: word(verdict) ?? "",
          reason: typeof reason === "string" ? reason : undefined,
        };
      }
      case "lookupGrant": {
        const found = await bounded(grants?.lookup(queryOf(call, app, owner), scope.context));
        // As text and back: a getter that throws, or a value JSON does not carry, is this source's failure.
        return { type: "grants", grants: found === undefined ? [] : JSON.parse(JSON.stringify([found].flat())) };
      }
      case "consumeGrant": {
        // Looking takes no use: it answers what would happen.
        const taken = purpose === "look" || (await bounded(grants?.consume?.(step.grant, scope.context))) === true;
        return { type: "consumed", taken };
      }
      default:
        return step satisfies never;
    }
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

/** An answer that the engine can't even read, such as one with an unpaired surrogate, is a failed one. */
function resumeSafely(state: object, stepId: number, answer: Answer): Stepped {
  try {
    return engine.resume(state, stepId, answer);
  } catch (error) {
    if (!AckError.is(error) || error.code !== "bad_request") throw error;
    return engine.resume(state, stepId, { type: "failed" });
  }
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

function invalidArguments(detail: string): Judged {
  const refusal = { kind: "invalidArguments", detail } as const;
  return { outcome: { disposition: "deny", basis: "invalid-arguments", source: "", refusal }, trace: [] };
}

/** The run was stopped while the call was judged. */
function stopped(signal: AbortSignal, trace: readonly TraceEntry[]): Judged {
  const ending = endingOf(signal);
  return { outcome: { disposition: "deny", basis: ending, source: "", refusal: { kind: ending } }, trace };
}

/** A run that timed out ends its questions as expired, one that was stopped as canceled. */
export function endingOf(signal: AbortSignal): "canceled" | "expired" {
  return (signal.reason as { name?: unknown } | undefined)?.name === "TimeoutError" ? "expired" : "canceled";
}
