import { messageOf } from "./error.js";
import type { Run } from "./live.js";
import type { Settings } from "./settings.js";
import type { Context, ToolCall, ToolFunction, ToolMap, ToolSpec, ToolTraits } from "./types.js";

export interface Tool extends ToolTraits {
  readonly run: Run;
}

/** The host's tools by name, resolved at the moment they are needed. */
export class Tools {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The tool of a call; a server's tool has the key `server/name`, so that it never runs another one of its name. */
  async find({ server, toolName }: Pick<ToolCall, "server" | "toolName">, context: Context): Promise<Tool | undefined> {
    const name = server === undefined ? toolName : `${server}/${toolName}`;
    const { tools, logger } = this.#settings;
    let map: ToolMap | undefined;
    try {
      map = typeof tools === "function" ? await tools(context) : tools;
    } catch (error) {
      logger.error("`tools` failed, so no tool is known", { tool: name, error: messageOf(error) });
    }
    if (!map || !Object.hasOwn(map, name)) return undefined;
    return toolOf(map[name] as ToolMap[string]);
  }
}

export function toolOf(tool: ToolMap[string]): Tool {
  if (typeof tool === "function") return { run: tool as ToolFunction as Run };
  return { idempotent: tool.idempotent, run: (args, info) => tool.run(args, info) };
}

/** Only types: lets `run` know the type of its arguments. */
export function tool<A, R>(spec: ToolSpec<A, R>): ToolSpec<A, R> {
  return spec;
}
