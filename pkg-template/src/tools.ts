import { checkSchema, checkTraits, TRAITS } from "./checks.js";
import { messageOf } from "./error.js";
import { parsed } from "./misfit.js";
import { keyOf } from "./policy/hooks.js";
import type { Settings } from "./settings.js";
import type { CallInfo, Context, Schema, ToolCall, ToolMap, ToolSpec, ToolTraits } from "./types.js";

/** A tool's function, whatever its arguments' type. */
export type Run = (args: object, info: CallInfo) => unknown;

export interface Tool extends ToolTraits {
  readonly run: Run;
  readonly input?: Schema<unknown> | undefined;
}

/** The host's tools by name, resolved at the moment they are needed. */
export class Tools {
  readonly #settings: Settings;
  readonly #guarded = new Map<string, ToolTraits>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The tool of a call; a server's tool has the key `server/tool`, and a name with a slash is nobody else's. */
  async find({ server, toolName }: Pick<ToolCall, "server" | "toolName">, context: Context): Promise<Tool | undefined> {
    if ((server ?? toolName).includes("/")) return undefined;
    const name = keyOf({ server, toolName });
    const { tools, logger } = this.#settings;
    try {
      const map = typeof tools === "function" ? await tools(context) : tools;
      return map && Object.hasOwn(map, name) ? checkedTool(name, map[name]) : undefined;
    } catch (error) {
      logger.error("`tools` failed, so no tool is known", { tool: name, error: messageOf(error) });
      return undefined;
    }
  }

  /** Notes what a guard declares, for whoever judges its calls without it. */
  guard(name: string, traits: ToolTraits): void {
    this.#guarded.set(name, traits);
  }

  /** The names that are known by now; undefined where only a call's context gives them. */
  names(): readonly string[] | undefined {
    const { tools } = this.#settings;
    return typeof tools === "object" ? [...Object.keys(tools), ...this.#guarded.keys()] : undefined;
  }

  /** What is declared of a call's tool. */
  async traits(
    call: Pick<ToolCall, "server" | "toolName">,
    context: Context,
  ): Promise<(ToolTraits & Pick<Tool, "input">) | undefined> {
    return (await this.find(call, context)) ?? this.#guarded.get(keyOf(call));
  }
}

/** A function of the context gives its tools unchecked. */
function checkedTool(name: string, tool: ToolMap[string] | undefined): Tool | undefined {
  const found = toolOf(tool);
  if (found) {
    checkTraits(name, found);
    checkSchema(name, found.input);
  }
  return found;
}

/** What is no function and has none is no tool. */
export function toolOf(tool: ToolMap[string] | undefined): Tool | undefined {
  if (typeof tool === "function") return { run: tool as unknown as Run };
  if (typeof tool?.run !== "function") return undefined;
  const { input } = tool;
  if (input === undefined) return { ...traitsOf(tool), run: (args, info) => tool.run(args, info) };
  return { ...traitsOf(tool), input, run: async (args, info) => tool.run(await parsed(input, args), info) };
}

/** The traits alone. */
export function traitsOf(tool: ToolTraits): ToolTraits {
  return Object.fromEntries(TRAITS.flatMap((name) => (tool[name] === undefined ? [] : [[name, tool[name]]])));
}

/** Only types: lets `run` know the type of its arguments. */
export function tool<A, R>(spec: ToolSpec<A, R>): ToolSpec<A, R> {
  return spec;
}
