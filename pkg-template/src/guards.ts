import { prepare } from "./calls.js";
import { bad, checkTraits, TRAITS } from "./checks.js";
import { AckError } from "./error.js";
import type { House } from "./house.js";
import type { Ladder } from "./ladder.js";
import { rejectUnknown } from "./names.js";
import { unheard } from "./parking.js";
import { namedBy } from "./policy/hooks.js";
import { isDenial } from "./texts.js";
import { type Run, type Tool, toolOf, traitsOf } from "./tools.js";
import type { CallInfo, CallOptions, Context, Denial, Guarded, GuardedTools, ToolMap, ToolTraits } from "./types.js";

type Call = { toolCallId: string; sessionId?: string | undefined } & Partial<CallOptions>;
type AnyGuarded = (args: object, call: Call) => Promise<unknown>;

/** The gate around functions: `gate.tools` and `gate.guard`. */
export class Guards {
  readonly #house: House;
  readonly #ladder: Ladder;
  readonly #warned = new Set<string>();

  constructor(house: House, ladder: Ladder) {
    this.#house = house;
    this.#ladder = ladder;
  }

  /** Every declared tool, gated; with a function of the context each name is resolved at the call. */
  all(): GuardedTools<ToolMap> {
    const { tools } = this.#house.settings;
    const late = (name: string): AnyGuarded =>
      this.#guarded(name, (context) => this.#house.tool(namedBy(name), context));
    if (typeof tools === "function") {
      return new Proxy(
        {},
        { get: (_, name) => (typeof name === "string" && name !== "then" ? late(name) : undefined) },
      ) as GuardedTools<ToolMap>;
    }
    const guarded = Object.entries(tools ?? {}).map(([name, tool]) => [name, this.#guarded(name, () => toolOf(tool))]);
    return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(guarded))) as GuardedTools<ToolMap>;
  }

  one<A, R, D = Denial>(
    name: string,
    run: (args: A, info: CallInfo) => R,
    options: ToolTraits & { denied?: ((denial: Denial) => D) | undefined } = {},
  ): Guarded<A, Awaited<R>, D> {
    const { settings, policies } = this.#house;
    if (typeof run !== "function") throw bad(`\`guard\` needs a function for \`${name}\``);
    rejectUnknown(`the guard of \`${name}\``, options, ["denied", ...TRAITS]);
    checkTraits(name, options);
    if (policies.standing.isOpen(name)) {
      throw bad(
        `the guarded tool \`${name}\` has no tier and there is no default: give \`tiers\`, \`defaultTier\`, \`tier\` or a policy with rules`,
      );
    }
    const traits = traitsOf(options);
    policies.standing.rulesFor(name, traits);
    this.#house.guards(name, traits);
    const tool: Tool = { ...traits, run: once(name, run as unknown as Run) };
    const guarded = this.#guarded(name, () => tool);
    const { denied } = options;
    const called = async (args: A, call: Call): Promise<Awaited<R> | D> => {
      this.#warnUnknown(name, settings.tools);
      const result = await guarded(args as object, call);
      return (denied && isDenial(result) ? denied(result) : result) as Awaited<R> | D;
    };
    return (args, call) => unheard(called(args, call));
  }

  #guarded(name: string, find: (context: Context) => Tool | undefined | Promise<Tool | undefined>): AnyGuarded {
    const called: AnyGuarded = async (args, call) => {
      const { toolCallId, sessionId, ...options } = call;
      // INVARIANT: a server's tool is judged as such, or rules about the server would miss it.
      const prepared = prepare({ toolCallId, ...namedBy(name), arguments: args as never, sessionId }, options);
      const ran = await this.#ladder.run(prepared, await find(prepared.scope.context));
      return "denial" in ran ? ran.denial : ran.value;
    };
    return (args, call) => unheard(called(args, call));
  }

  #warnUnknown(name: string, tools: unknown): void {
    if (typeof tools === "function" || this.#warned.has(name) || (tools && Object.hasOwn(tools, name))) return;
    this.#warned.add(name);
    this.#house.settings.logger.warn(
      `the guarded tool \`${name}\` is not in \`tools\`: after a restart its confirmations can't be carried out`,
    );
  }
}

/** A stream can't be stored or given twice. */
function once(name: string, run: Run): Run {
  return async (args, info) => {
    const value = await run(args, info);
    if (typeof value === "object" && value !== null && Symbol.asyncIterator in value) {
      throw new AckError(
        "bad_options",
        `the guarded tool \`${name}\` returned an async iterable; collect it and return the whole`,
      );
    }
    return value;
  };
}
