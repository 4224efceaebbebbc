import { AckError, messageOf } from "./error.js";
import type { ErrorCode, ToolCall } from "./types.js";
import * as glue from "./wasm/ackgate_bg.js";
import type {
  Answer,
  Event,
  Moment,
  Reduced,
  Refusal,
  Repeat,
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
let memory: WebAssembly.Memory | undefined;

/** Makes the engine usable. A second call changes nothing: there is one instance. */
export function load(module: WebAssembly.Module): void {
  if (compiled) return;
  instantiate(module);
  compiled = module;
}

function instantiate(module: WebAssembly.Module): void {
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

export const begin = (setup: Setup, toolCall: ToolCall): Stepped => call(glue.begin, json(setup), json(toolCall));

export const resume = (state: object, stepId: number, answer: Answer): Stepped =>
  call(glue.resume, json(state), json({ stepId, answer }));

export const reduce = (record: string | undefined, event: Event, moment: Moment): Reduced =>
  call(glue.reduce, record, json(event), json(moment));

export const reduceResumption = (record: string | undefined, event: ResumptionEvent, moment: Moment): Resumption =>
  call(glue.reduceResumption, record, json(event), json(moment));

export const view = (record: string, app: string, moment: Moment): View => call(glue.view, record, app, json(moment));

export const survey = (records: readonly Stored[], toolCallId: string, repeat: Repeat, moment: Moment): Survey =>
  call(glue.survey, json(records), toolCallId, json(repeat), json(moment));

export const text = (refusal: Refusal): Text => call(glue.text, json(refusal));

export const freshId = (): string => call(glue.freshId);
