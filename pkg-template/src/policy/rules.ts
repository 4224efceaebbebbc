import * as engine from "../engine.js";
import type { Diagnostic, Policy, PolicyDocument, PolicyOptions } from "../types.js";
import type { Environment, Layer, LoadOptions } from "../wasm/types.js";
import { PolicyError } from "./error.js";
import type { Hooks } from "./hooks.js";
import { kept } from "./kept.js";
import { checkDirectories } from "./options.js";

/** For so many other environments a policy stays compiled. */
const VARIANTS = 8;

const known = new WeakMap<object, Rules>();

/** Layers compiled for the host's facts: what is behind a policy. Immutable but for what it keeps compiled. */
export class Rules {
  readonly compiled: engine.Compiled;
  readonly hooks: Hooks;
  readonly #layers: readonly Layer[];
  readonly #load: LoadOptions;
  readonly #environment: Environment;
  readonly #variants = new Map<string, engine.Compiled>();

  /** Throws PolicyError. */
  constructor(layers: readonly Layer[], { strict, tools, cwd, home, platform, realPath, preapprove }: PolicyOptions) {
    this.#layers = layers;
    this.#load = { strict, tools: tools && [...tools] };
    this.#environment = { cwd, home, platform };
    this.hooks = { realPath, preapprove };
    this.compiled = this.#compile(this.#environment);
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.compiled.facts.diagnostics;
  }

  /** The same rules where other facts are given; the oldest of too many variants goes first. */
  within(given: Environment): engine.Compiled {
    const { cwd, home, platform } = this.#environment;
    const environment = {
      cwd: given.cwd ?? cwd,
      home: given.home ?? home,
      platform: given.platform ?? platform,
    };
    if (environment.cwd === cwd && environment.home === home && environment.platform === platform) return this.compiled;
    return kept(this.#variants, VARIANTS, JSON.stringify(environment), () => this.#compile(environment));
  }

  /** The same rules with one more trusted layer. Throws PolicyError. */
  with(layer: Layer): Rules {
    return new Rules([...this.#layers, layer], { ...this.#load, ...this.#environment, ...this.hooks });
  }

  /** The names in the rules that are no tool among these. */
  unknownTools(tools: readonly string[]): readonly Diagnostic[] {
    const found = engine.lint(this.#layers, { ...this.#load, tools }, this.#environment);
    return found.filter(({ code }) => code === "unknown-tool");
  }

  /** All layers as one document. */
  document(): PolicyDocument {
    return engine.merge(this.#layers, this.#load).document;
  }

  #compile(environment: Environment): engine.Compiled {
    checkDirectories(environment);
    const compiled = engine.Compiled.of(this.#layers, this.#load, environment);
    if (compiled instanceof engine.Refused) throw new PolicyError(compiled.diagnostics);
    return compiled;
  }
}

/** The rules behind a policy of this package. */
export function rulesOf(policy: object): Rules | undefined {
  return known.get(policy);
}

/** Notes the rules behind a policy. */
export function isMadeOf<P extends Policy>(policy: P, rules: Rules): P {
  known.set(policy, rules);
  return policy;
}
