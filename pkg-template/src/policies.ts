import { bad, stricterTier } from "./checks.js";
import { AckError } from "./error.js";
import { lineOf } from "./policy/error.js";
import { kept } from "./policy/kept.js";
import { layersOf, type Source } from "./policy/layers.js";
import { Rules, rulesOf } from "./policy/rules.js";
import type { Settings } from "./settings.js";
import type { PolicyDocument, Tier, ToolTraits } from "./types.js";
import type { Layer } from "./wasm/types.js";

/** So many tools with subjects of their own, known only at their calls, stay compiled. */
const VARIANTS = 32;

/** Rules for these also speak about what a command writes. */
const WRITERS = ["Write", "Edit"];

/** The policy of a gate and the moment when it may be swapped. */
export class Policies {
  readonly #settings: Settings;
  #standing: Standing;
  #asking = 0;

  /** Throws PolicyError, and `bad_options` when it is open what some tool may do. */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#standing = this.#stand(settings.policy);
    checkNothingOpen(settings, this.#standing);
  }

  /** What is judged by now. A call takes it once, at its start. */
  get standing(): Standing {
    return this.#standing;
  }

  /** Swaps the policy. */
  set(policy: unknown): void {
    if (this.#asking > 0) {
      const text = "a policy can't be swapped by a callback that a call under way is waiting for: do it afterwards";
      throw new AckError("conflict", text);
    }
    if (policy === undefined) throw bad("`setPolicy` needs a policy or a document");
    this.#standing = this.#stand(policy);
  }

  /** Runs a host's callback that answers at once. */
  asking<R>(callback: () => R): R {
    this.#asking += 1;
    try {
      return callback();
    } finally {
      this.#asking -= 1;
    }
  }

  #stand(policy: unknown): Standing {
    const standing = new Standing(this.#settings, policy === undefined ? undefined : rulesFrom(policy));
    const { tools, logger } = this.#settings;
    // A guard's tool is known later, so this is no error; a policy made with the option `tools` refuses such names.
    const unknown = typeof tools === "object" ? standing.rules?.unknownTools([...Object.keys(tools), ...WRITERS]) : [];
    for (const diagnostic of [...(standing.rules?.diagnostics ?? []), ...(unknown ?? [])]) {
      logger.warn(`the policy: ${lineOf(diagnostic)}`);
    }
    return standing;
  }
}

/** A gate's policy with what the gate itself declares of its tools, and what follows from both. */
export class Standing {
  readonly rules: Rules | undefined;
  /** The tier of tools nobody listed. Where nobody said what they do, a person is asked. */
  readonly defaultTier: Tier;
  readonly #settings: Settings;
  readonly #document: PolicyDocument | undefined;
  readonly #open: boolean;
  readonly #declared: ReadonlyMap<string, string>;
  readonly #variants = new Map<string, Rules>();

  constructor(settings: Settings, rules: Rules | undefined) {
    this.#settings = settings;
    const { tools } = settings;
    const declared =
      typeof tools === "object"
        ? Object.entries(tools).flatMap(([name, tool]) => (typeof tool === "function" ? [] : said(name, tool)))
        : [];
    this.#declared = new Map(declared);
    this.rules = declared.length === 0 ? rules : extended(rules, declared);
    this.#document = rules?.document();
    checkSchemas(settings, this.#document);
    const facts = rules?.compiled.facts;
    const given = stricterTier(settings.defaultTier, facts?.defaultTier ?? undefined);
    const hasRules = facts?.hasRules === true;
    this.defaultTier = given ?? (hasRules || !settings.tier ? "confirm" : "allow");
    this.#open = given === undefined && !hasRules && !settings.tier;
  }

  /** True when nobody said what the tool may do. */
  isOpen(name: string): boolean {
    return (
      this.#open && !Object.hasOwn(this.#settings.tiers, name) && !Object.hasOwn(this.#document?.tiers ?? {}, name)
    );
  }

  /** The rules for a tool; with subjects or a shell that the gate's table does not have they are compiled anew. */
  rulesFor(name: string, traits: ToolTraits | undefined): Rules | undefined {
    const [own] = traits ? said(name, traits) : [];
    if (!own || this.#declared.get(name) === own[1]) return this.rules;
    return kept(this.#variants, VARIANTS, JSON.stringify(own), () => extended(this.rules, [own]));
  }

  /** What the document wants a tool's arguments to fit. */
  inputSchema(name: string): object | undefined {
    const { tools = {} } = this.#document ?? {};
    return Object.hasOwn(tools, name) ? tools[name]?.inputSchema : undefined;
  }

  /** Whether a tool may run again: somebody says so and nobody denies it. */
  idempotent(name: string, { idempotent }: ToolTraits): boolean {
    const { tools = {} } = this.#document ?? {};
    const words = [idempotent, Object.hasOwn(tools, name) ? tools[name]?.idempotent : undefined];
    return words.includes(true) && !words.includes(false);
  }
}

/** What a document says of a tool's shell and subjects, as text. */
function said(name: string, { shell, subjects }: ToolTraits): [name: string, text: string][] {
  return shell === undefined && subjects === undefined ? [] : [[name, JSON.stringify({ shell, subjects })]];
}

function extended(rules: Rules | undefined, declared: readonly (readonly [string, string])[]): Rules {
  const tools = declared.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",");
  const text = `{"version":1,"tools":{${tools}}}`;
  const layer: Layer = { name: "tools", text, restrict: false, positions: false };
  return rules ? rules.with(layer) : new Rules([layer], {});
}

/** The rules of what a host gives as a policy. */
export function rulesFrom(policy: unknown): Rules {
  if (typeof policy !== "object" || policy === null)
    throw bad("`policy` must be a policy or a document; `parsePolicy` makes one of text");
  const rules = rulesOf(policy);
  if (rules) return rules;
  if ("check" in policy) throw bad("`policy` was made by another copy of this package: give its document");
  return new Rules(layersOf(policy as Source, ""), {});
}

/** Without a validator nothing checks a schema, and what is written must not be passed over. */
function checkSchemas({ validate }: Settings, document: PolicyDocument | undefined): void {
  if (validate) return;
  const [name] = Object.entries(document?.tools ?? {}).find(([, traits]) => traits.inputSchema !== undefined) ?? [];
  if (name === undefined) return;
  throw bad(
    `the policy has an \`inputSchema\` for the tool \`${name}\`, which needs the option \`validate\`: \`validator()\` of \`ackgate/schema\` makes one`,
  );
}

function checkNothingOpen({ tools }: Settings, standing: Standing): void {
  const advice = "neither `defaultTier`, `tier` nor a policy with rules is given";
  if (typeof tools !== "object") {
    if (!standing.isOpen("")) return;
    throw bad(`which tools there are is not known here, so what an unlisted one may do is open: ${advice}`);
  }
  const open = Object.keys(tools).find((name) => standing.isOpen(name));
  if (open !== undefined) throw bad(`the tool \`${open}\` has no tier, and ${advice}`);
}
