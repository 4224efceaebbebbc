import { type Host, modeOf } from "./answers.js";
import type { Prepared } from "./calls.js";
import { drive } from "./drive.js";
import { EngineFailure } from "./engine.js";
import { messageOf } from "./error.js";
import type { Fits } from "./misfit.js";
import type { Policies, Standing } from "./policies.js";
import { PolicyError } from "./policy/error.js";
import { keyOf } from "./policy/hooks.js";
import type { Rules } from "./policy/rules.js";
import type { Settings } from "./settings.js";
import { stoppable } from "./signals.js";
import type { Tool, Tools } from "./tools.js";
import type { Mode, ToolTraits } from "./types.js";
import type { Declared, Heard, Outcome, Setup, TraceEntry } from "./wasm/types.js";

/** Why a call is judged: to act on it, only to look (no use is taken), or once more after a person's yes (no grants). */
export type Purpose = "act" | "look" | "again";
export interface Judged {
  readonly outcome: Outcome;
  readonly trace: readonly TraceEntry[];
  /** The call's; empty where its arguments can't be read. */
  readonly digest: string;
  /** What the call was judged by, when it came that far. */
  readonly grounds?: Grounds | undefined;
}
/** The rules a call is judged by, and what they are told of it. */
export interface Grounds {
  readonly rules: Rules | undefined;
  readonly mode: Mode | undefined;
  readonly declared: Declared;
  /** Filled as the host answers. */
  readonly heard: Heard;
}
/** Who the session belongs to, and whether that is somebody in particular. */
export interface Owner {
  readonly user: string;
  readonly named: boolean;
}

/** Judges calls: the policy of the moment, what is known of the tool, and the host's callbacks. */
export class Judge {
  readonly #settings: Settings;
  readonly #policies: Policies;
  readonly #tools: Tools;
  readonly #closing: AbortSignal;

  constructor(settings: Settings, policies: Policies, tools: Tools, closing: AbortSignal) {
    this.#settings = settings;
    this.#policies = policies;
    this.#tools = tools;
    this.#closing = closing;
  }

  /** `tool`: the call's tool where it is known already, or that there is none of its name. */
  async judge(prepared: Prepared, owner: Owner, purpose: Purpose, tool?: Tool | "unknown"): Promise<Judged> {
    const { call, scope, invalid } = prepared;
    if (invalid !== undefined) return invalidArguments(invalid);
    // INVARIANT: the policy is taken here and nowhere later, so that a swap never splits a judgement.
    const { standing } = this.#policies;
    try {
      const traits = tool === undefined ? await this.#traits(prepared) : tool === "unknown" ? {} : tool;
      const grounds = this.#grounds(standing, prepared, traits);
      const { rules } = grounds;
      const fits: Fits = {
        input: traits.input,
        inputSchema: standing.inputSchema(keyOf(call)),
        validate: this.#settings.validate,
      };
      const setup = this.#setup(standing, grounds, owner, purpose, tool === "unknown", fits);
      const [settings, policies, closing] = [this.#settings, this.#policies, this.#closing];
      const host: Host = { settings, policies, closing, hooks: rules?.hooks ?? {}, scope, owner, purpose, fits };
      return { ...(await drive(host, rules?.compiled, setup, call, grounds.heard)), grounds };
    } catch (error) {
      const unusable = error instanceof PolicyError;
      if (!unusable && !(error instanceof EngineFailure)) throw error;
      const what = unusable ? "what a tool declares can't be used" : "the engine failed on a call and was replaced";
      this.#settings.logger.error(what, { tool: call.toolName, error: messageOf(error) });
      const refusal = { kind: "engineFailed" } as const;
      return { outcome: { disposition: "deny", basis: "engine-failed", source: "", refusal }, trace: [], digest: "" };
    }
  }

  /** What is declared of the tool; nothing when the run stops before it is known, which the driver sees. */
  async #traits({ call, scope }: Prepared): Promise<ToolTraits & Pick<Tool, "input">> {
    const found = stoppable(this.#tools.traits(call, scope.context), [scope.signal, this.#closing]);
    return (await found.catch(() => undefined)) ?? {};
  }

  #grounds(standing: Standing, { call, scope }: Prepared, traits: ToolTraits): Grounds {
    const { readOnly, alwaysAsk, requiresUserInteraction } = traits;
    return {
      rules: standing.rulesFor(keyOf(call), traits),
      mode: modeOf(this.#settings, this.#policies, scope, call),
      declared: { readOnly, alwaysAsk, requiresUserInteraction },
      heard: {},
    };
  }

  #setup(
    standing: Standing,
    grounds: Grounds,
    owner: Owner,
    purpose: Purpose,
    unknownTool: boolean,
    { input, inputSchema }: Fits,
  ): Setup {
    const { tiers, tier, sources, grants, app, clock, limits } = this.#settings;
    const { rules, mode, declared } = grounds;
    return {
      tiers,
      defaultTier: standing.defaultTier,
      validate: input !== undefined || inputSchema !== undefined,
      tierFunction: tier !== undefined,
      sources: sources.map((source) => source.name),
      unknownTool,
      // The person has answered already.
      interactive: purpose === "again" || this.#settings.interactive !== false,
      argumentsBytes: limits.argumentsBytes,
      mode,
      declared,
      preapprove: rules?.hooks.preapprove !== undefined,
      realPath: rules?.hooks.realPath !== undefined,
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
}

function invalidArguments(detail: string): Judged {
  const refusal = { kind: "invalidArguments", detail } as const;
  return { outcome: { disposition: "deny", basis: "invalid-arguments", source: "", refusal }, trace: [], digest: "" };
}
