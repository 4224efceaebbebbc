import { AckError, messageOf } from "./error.js";
import type { Diagnostic, ErrorCode, ToolCall } from "./types.js";
import * as glue from "./wasm/ackgate_bg.js";
import type {
  Answer,
  Environment,
  Event,
  Facts,
  Layer,
  LoadOptions,
  Merged,
  Moment,
  Question,
  Reduced,
  Refusal,
  Repeat,
  Reply,
  Resumption,
  ResumptionEvent,
  Setup,
  Stepped,
  Stored,
  Survey,
  Text,
  View,
} from "./wasm/types.js";

export type { Stepped } from "./wasm/types.js";

/** The engine trapped: the call fails closed, the instance has been replaced. */
export class EngineFailure extends AckError {
  constructor(cause: unknown) {
    super("internal", `the engine failed: ${messageOf(cause)}`, { cause });
  }
}

let compiled: WebAssembly.Module | undefined;
/** Counts the instances: what one of them keeps means nothing to the next. */
let generation = 0;
let memory: WebAssembly.Memory | undefined;

/** Makes the engine usable. A second call changes nothing: there is one instance. */
export function load(module: WebAssembly.Module): void {
  if (compiled) return;
  instantiate(module);
  compiled = module;
}

function instantiate(module: WebAssembly.Module): void {
  generation += 1;
  const { exports } = new WebAssembly.Instance(module, { "./ackgate_bg.js": glue });
  // The glue keeps views of the old memory; growing by nothing detaches them, so that it makes new ones.
  memory?.grow(0);
  memory = exports.memory as WebAssembly.Memory;
  glue.__wbg_set_wasm(exports);
  (exports.__wbindgen_start as (() => void) | undefined)?.();
}

/** Calls one export. INVARIANT: after a trap nothing of the old instance is used again. */
function call<T, A extends unknown[]>(work: (...args: A) => string, ...args: A): T {
  if (!compiled) throw new AckError("not_loaded", "ackgate is not loaded yet: call and await `init()` first");
  let text: string;
  try {
    text = work(...args);
  } catch (error) {
    instantiate(compiled);
    throw new EngineFailure(error);
  }
  const answer = JSON.parse(text) as { ok: T } | { error: { code: ErrorCode; message: string } };
  if ("error" in answer) throw new AckError(answer.error.code, answer.error.message);
  return answer.ok;
}

const json = JSON.stringify;

type Answered = (Facts & { number: number }) | { diagnostics: readonly Diagnostic[] };
type Compiling = readonly [layers: string, options: string, environment: string];
type Place = { number: number; generation: number };

/** INVARIANT: a number is given back only to the instance that gave it. */
const unused = new FinalizationRegistry<Place>((place) => {
  if (!compiled || place.generation !== generation) return;
  try {
    glue.forget(place.number);
  } catch {
    instantiate(compiled);
  }
});

/** A compiled policy: a number inside one instance, compiled again where the instance was replaced. */
export class Compiled {
  readonly facts: Facts;
  readonly #source: Compiling;
  readonly #place: Place;

  private constructor(source: Compiling, { number, ...facts }: Facts & { number: number }) {
    this.facts = facts;
    this.#source = source;
    this.#place = { number, generation };
    unused.register(this, this.#place);
  }

  /** Compiles layers, or says what is wrong with them. */
  static of(layers: readonly Layer[], options: LoadOptions, environment: Environment): Compiled | Refused {
    const source = [json(layers), json(options), json(environment)] as const;
    const answered = call<Answered, [string, string, string]>(glue.compile, ...source);
    return "number" in answered ? new Compiled(source, answered) : new Refused(answered.diagnostics);
  }

  /** The number in the present instance. */
  number(): number {
    if (this.#place.generation !== generation) {
      const answered = call<Answered, [string, string, string]>(glue.compile, ...this.#source);
      if (!("number" in answered)) throw new AckError("internal", "a policy that was compiled can't be compiled again");
      Object.assign(this.#place, { number: answered.number, generation });
    }
    return this.#place.number;
  }
}
/** What is wrong with a policy. */
export class Refused {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    this.diagnostics = diagnostics;
  }
}

export const lint = (layers: readonly Layer[], options: LoadOptions, environment: Environment): Diagnostic[] =>
  call<{ diagnostics: Diagnostic[] }, [string, string, string]>(
    glue.lint,
    json(layers),
    json(options),
    json(environment),
  ).diagnostics;

export const merge = (layers: readonly Layer[], options: LoadOptions): Merged =>
  call(glue.merge, json(layers), json(options));

export const ask = (policy: Compiled, question: Question): Reply => call(glue.ask, policy.number(), json(question));

/** The number of "no policy". */
const NONE = 0;

export const begin = (policy: Compiled | undefined, setup: Setup, toolCall: ToolCall): Stepped =>
  call(glue.begin, policy?.number() ?? NONE, json(setup), json(toolCall));

export const resume = (policy: Compiled | undefined, state: object, stepId: number, answer: Answer): Stepped =>
  call(glue.resume, policy?.number() ?? NONE, json(state), json({ stepId, answer }));

export const reduce = (record: string | undefined, event: Event, moment: Moment): Reduced =>
  call(glue.reduce, record, json(event), json(moment));

export const reduceResumption = (record: string | undefined, event: ResumptionEvent, moment: Moment): Resumption =>
  call(glue.reduceResumption, record, json(event), json(moment));

export const view = (record: string, app: string, moment: Moment): View => call(glue.view, record, app, json(moment));

export const survey = (records: readonly Stored[], toolCallId: string, repeat: Repeat, moment: Moment): Survey =>
  call(glue.survey, json(records), toolCallId, json(repeat), json(moment));

export const text = (refusal: Refusal): Text => call(glue.text, json(refusal));

export const freshId = (): string => call(glue.freshId);
