import { withInput } from "./calls.js";
import * as engine from "./engine.js";
import { AckError, messageOf } from "./error.js";
import type { Settings } from "./settings.js";
import type { Basis, Denial, ToolCall } from "./types.js";
import type { Refusal } from "./wasm/types.js";

const made = new WeakSet<object>();

/** True only for a denial made by a gate, never for a tool's own object of the same shape. */
export function isDenial(value: unknown): value is Denial {
  return typeof value === "object" && value !== null && made.has(value);
}

/** What the model reads when a call was refused. */
export class Texts {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  denial(refusal: Refusal, call: ToolCall): Denial {
    const reason = this.#custom(refusal, call) ?? engine.text(refusal).text;
    return brand({ status: "denied", tool: call.toolName, reason });
  }

  /** The basis of the event that goes with an automatic refusal. */
  basisOf(refusal: Refusal): Basis {
    const { basis } = engine.text(refusal);
    if (basis === null) throw new AckError("internal", `a refusal \`${refusal.kind}\` has no basis of its own`);
    return basis;
  }

  /** A throwing text falls back to the default. */
  #custom(refusal: Refusal, call: ToolCall): string | undefined {
    const texts = this.#settings.texts;
    if (!texts || refusal.kind === "duplicate" || !texts[refusal.kind]) return undefined;
    try {
      const text = apply(texts, refusal, call);
      if (typeof text === "string" && text !== "") return text;
      throw new Error("it gave no text");
    } catch (error) {
      this.#settings.logger.warn(`the text \`${refusal.kind}\` failed, the default is used`, {
        error: messageOf(error),
      });
      return undefined;
    }
  }
}

/** A denial that was stored, read again; undefined when the stored message is a tool's own result. */
export function storedDenial(message: string, denied: boolean): Denial | undefined {
  return denied ? brand(JSON.parse(message) as Denial) : undefined;
}

function brand(denial: Denial): Denial {
  made.add(denial);
  return denial;
}

function apply(texts: NonNullable<Settings["texts"]>, refusal: Refusal, call: ToolCall): unknown {
  switch (refusal.kind) {
    case "humanDenied": {
      const text = texts.humanDenied?.(withInput(call));
      return refusal.note && typeof text === "string" ? `${text} They said: ${refusal.note}` : text;
    }
    case "tierDisabled":
      return texts.tierDisabled?.(refusal.toolName);
    case "invalidArguments":
      return texts.invalidArguments?.(refusal.detail);
    case "unavailable":
      return texts.unavailable?.(refusal.toolName, refusal.detail);
    case "duplicate":
      return undefined;
    case "canceled":
    case "expired":
    case "superseded":
    case "noHuman":
    case "persistFailed":
    case "engineFailed":
      return texts[refusal.kind]?.();
    default:
      return refusal satisfies never;
  }
}
