import { bad, checkMethods, checkSchema, checkTraits, checkType, checkWord, MODES, TIERS, TRAITS } from "./checks.js";
import { systemClock } from "./clock.js";
import { nearest, rejectUnknown } from "./names.js";
import type { Call, Clock, Context, GateOptions, Logger, PolicySource, Tier, ToolMap } from "./types.js";

const OPTIONS = [
  "state",
  "tools",
  "policy",
  "mode",
  "tiers",
  "tier",
  "defaultTier",
  "sources",
  "grants",
  "user",
  "owner",
  "mayDecide",
  "app",
  "timeoutMs",
  "interactive",
  "duplicate",
  "resume",
  "settleSiblings",
  "requireDigest",
  "newMessage",
  "eventName",
  "sourceTimeoutMs",
  "leaseMs",
  "pollMs",
  "storeTimeoutMs",
  "closeTimeoutMs",
  "limits",
  "keep",
  "validate",
  "runActive",
  "texts",
  "logger",
  "clock",
  "onPermission",
  "onAudit",
] as const satisfies readonly (keyof GateOptions)[];
const TEXTS = [
  "humanDenied",
  "tierDisabled",
  "canceled",
  "expired",
  "superseded",
  "noHuman",
  "persistFailed",
  "engineFailed",
  "invalidArguments",
  "unavailable",
] as const;
const WORDS = {
  duplicate: ["join", "ask", "deny"],
  resume: ["each", "all"],
  newMessage: ["keep", "supersede"],
  defaultTier: TIERS,
} as const;
const FUNCTIONS = ["tier", "owner", "mayDecide", "validate", "runActive", "onPermission", "onAudit"] as const;
const DURATIONS = ["timeoutMs", "sourceTimeoutMs", "leaseMs", "pollMs", "storeTimeoutMs", "closeTimeoutMs"] as const;

/** The options of a gate, checked and with every default filled in. */
export interface Settings extends Omit<GateOptions, "sources" | "tiers" | "tools" | "limits" | "keep"> {
  readonly tools: ToolMap | ((context: Context) => ToolMap | PromiseLike<ToolMap>) | undefined;
  readonly tiers: Readonly<Record<string, Tier>>;
  readonly sources: readonly Source[];
  readonly app: string;
  readonly eventName: string;
  readonly leaseMs: number;
  readonly storeTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly limits: { readonly argumentsBytes: number; readonly resultBytes: number; readonly open: number };
  readonly keep: { readonly ms: number; readonly count: number };
  readonly logger: Logger;
  readonly clock: Clock;
}
export interface Source {
  readonly name: string;
  consult(call: Call, context: Context): unknown;
}

/** Checks what `createGate` was given. Throws `bad_options` that names the thing and the nearest word. */
export function settingsOf(options: GateOptions): Settings {
  if (typeof options !== "object" || options === null) throw bad("`createGate` takes an options object");
  rejectUnknown("`createGate`", options, OPTIONS);
  rejectUnknown("`limits`", options.limits ?? {}, ["argumentsBytes", "resultBytes", "open"]);
  rejectUnknown("`keep`", options.keep ?? {}, ["ms", "count"]);
  rejectUnknown("`texts`", options.texts ?? {}, TEXTS);
  checkForms(options);
  const { state, tools, tiers = {}, limits = {}, keep = {}, logger = console } = options;
  if (typeof state?.read !== "function" || typeof state.list !== "function" || typeof state.write !== "function") {
    throw bad("`state` must be a SessionState: `memoryState()` or one of the stores");
  }
  for (const [name, tier] of Object.entries(tiers)) checkWord(`tiers.${name}`, tier, TIERS);
  if (typeof tools === "object") checkTools(tools, tiers);
  if (state.durable === false) {
    logger.warn("the session store may lose acknowledged writes: what a dead run left is not carried out");
  }
  return {
    ...options,
    tools,
    tiers: Object.fromEntries(Object.entries(tiers).flatMap(([name, tier]) => (tier ? [[name, tier]] : []))),
    sources: sourcesOf(options.sources),
    app: options.app ?? "ack",
    eventName: options.eventName ?? "tool_confirmation",
    leaseMs: options.leaseMs ?? 15_000,
    storeTimeoutMs: options.storeTimeoutMs ?? 5_000,
    closeTimeoutMs: options.closeTimeoutMs ?? 5_000,
    limits: {
      argumentsBytes: limits.argumentsBytes ?? 1 << 20,
      resultBytes: limits.resultBytes ?? 256 << 10,
      open: limits.open ?? 64,
    },
    keep: { ms: keep.ms ?? 60 * 60 * 1_000, count: keep.count ?? 100 },
    logger,
    clock: options.clock ?? systemClock,
  };
}

function checkForms(options: GateOptions): void {
  for (const [name, words] of Object.entries(WORDS)) {
    checkWord(name, options[name as keyof typeof WORDS], words);
  }
  if (typeof options.mode !== "function") checkWord("mode", options.mode, MODES);
  for (const name of FUNCTIONS) checkType(`\`${name}\``, options[name], "function");
  for (const name of ["user", "app", "eventName"] as const) {
    checkType(`\`${name}\``, options[name], "string");
    if (options[name] === "") throw bad(`\`${name}\` must not be empty`);
  }
  for (const name of ["interactive", "requireDigest", "settleSiblings"] as const) {
    checkType(`\`${name}\``, options[name], "boolean");
  }
  for (const [name, text] of Object.entries(options.texts ?? {})) checkType(`\`texts.${name}\``, text, "function");
  for (const name of DURATIONS) {
    const value = options[name];
    if (value !== undefined && !(value > 0)) throw bad(`\`${name}\` must be a number of milliseconds over 0`);
  }
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw bad(`\`limits.${name}\` must be a whole number over 0`);
  }
  for (const [name, value] of Object.entries(options.keep ?? {})) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      throw bad(`\`keep.${name}\` must be a whole number from 0 on`);
  }
  checkMethods("logger", options.logger, ["warn", "error"]);
  checkMethods("clock", options.clock, ["now", "setTimeout"]);
  checkMethods("grants", options.grants, ["lookup", "save"]);
}

function checkTools(tools: ToolMap, tiers: object): void {
  const names = Object.keys(tools);
  for (const [name, tool] of Object.entries(tools)) {
    if (typeof tool === "function") continue;
    if (typeof tool?.run !== "function")
      throw bad(`the tool \`${name}\` must be a function or have a \`run\` function`);
    rejectUnknown(`the tool \`${name}\``, tool, ["run", "input", ...TRAITS]);
    checkTraits(name, tool);
    checkSchema(name, tool.input);
  }
  for (const name of Object.keys(tiers)) {
    if (Object.hasOwn(tools, name)) continue;
    const near = nearest(name, names);
    throw bad(`\`tiers\` names \`${name}\`, which is not in \`tools\`${near ? `; did you mean \`${near}\`?` : ""}`);
  }
}

function sourcesOf(sources: GateOptions["sources"]): Source[] {
  if (sources === undefined) return [];
  if (Array.isArray(sources)) {
    return (sources as readonly PolicySource[]).map((source, index) => {
      if (typeof source?.consult !== "function") throw bad(`\`sources[${index}]\` must have a \`consult\` function`);
      checkType(`\`sources[${index}].name\``, source.name, "string");
      return { name: source.name ?? "", consult: (call, context) => source.consult(call, context) };
    });
  }
  return Object.entries(sources).map(([name, consult]) => {
    if (typeof consult !== "function") throw bad(`the source \`${name}\` must be a function`);
    return { name, consult };
  });
}
