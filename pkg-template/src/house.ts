import type { AutomaticEnd } from "./audit.js";
import type { Holds } from "./holds.js";
import type { Judge, Owner } from "./judge.js";
import type { Policies } from "./policies.js";
import type { Records } from "./records.js";
import type { Settings } from "./settings.js";
import type { Texts } from "./texts.js";
import type { Tool } from "./tools.js";
import type { Context, Payload, SessionKey, ToolCall, ToolTraits } from "./types.js";

/** The parts of one gate, as its other parts see them. */
export interface House {
  readonly settings: Settings;
  readonly records: Records;
  readonly policies: Policies;
  readonly judge: Judge;
  readonly texts: Texts;
  readonly holds: Holds;
  /** This gate's instance, as records name it. */
  readonly instance: string;
  /** Aborts with `closed` when the gate closes. */
  readonly closing: AbortSignal;
  /** The host's tool for a call, resolved now. */
  tool(call: Pick<ToolCall, "server" | "toolName">, context: Context): Promise<Tool | undefined>;
  /** Notes what is declared of a guarded tool. */
  guards(name: string, traits: ToolTraits): void;
  /** Keeps count of what runs, which `close` waits for. */
  running<R>(work: Promise<R>): Promise<R>;
  /** Fires the one event of a call that ended without a person's decision. */
  terminal(end: AutomaticEnd, context: Context): void;
  /** Tells whoever wants to hear of open questions. */
  asked(request: Payload, context: Context): void;
  ownerOf(sessionId: string, context: Context): Promise<Owner>;
  keyOf(sessionId: string, owner: Owner): SessionKey;
  /** Notes that a call came through here. */
  pass(call: ToolCall): void;
}
