import { messageOf } from "./error.js";
import type { Settings } from "./settings.js";
import type { CallInfo, Context, ToolCall, ToolMap, ToolSpec, ToolTraits } from "./types.js";

/** A tool's function, whatever its arguments' type. */
export type Run = (args: object, info: CallInfo) => unknown;

export interface Tool extends ToolTraits {
  readonly run: Run;
}

/** The host's tools by name, resolved at the moment they are needed. */
export class Tools {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The tool of a call; a server's tool has the key `server/tool`, and a name with a slash is nobody else's. */
  async find({ server, toolName }: Pick<ToolCall, "server" | "toolName">, context: Context): Promise<Tool | undefined> {
    if ((server ?? toolName).includes("/")) return undefined;
    const name = server === undefined ? toolName : `${server}/${toolName}`;
    const { tools, logger } = this.#settings;
    try {
      const map = typeof tools === "function" ? await tools(context) : tools;
      return map && Object.hasOwn(map, name) ? toolOf(map[name]) : undefined;
    } catch (error) {
      logger.error("`tools` failed, so no tool is known", { tool: name, error: messageOf(error) });
      return undefined;
    }
  }
}

/** What is no function and has none is no tool. */
export function toolOf(tool: ToolMap[string] | undefined): Tool | undefined {
  if (typeof tool === "function") return { run: tool as unknown as Run };
  if (typeof tool?.run !== "function") return undefined;
  return { idempotent: tool.idempotent, run: (args, info) => tool.run(args, info) };
}

/** Only types: lets `run` know the type of its arguments. */
export function tool<A, R>(spec: ToolSpec<A, R>): ToolSpec<A, R> {
  return spec;
}
