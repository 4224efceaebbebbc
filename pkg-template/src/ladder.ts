import { type Prepared, prepare, withInput } from "./calls.js";
import { type Confirm, emit, open } from "./confirmations.js";
import { messageOf } from "./error.js";
import type { House } from "./house.js";
import type { Judged, Owner } from "./judge.js";
import { ask, denied, type Ended, type Work } from "./live.js";
import { messageFor, runTool } from "./results.js";
import type { Tool } from "./tools.js";
import type {
  CallInfo,
  CallInit,
  CallOptions,
  Denial,
  Evaluation,
  Executed,
  Payload,
  Permission,
  SessionKey,
} from "./types.js";
import type { Outcome } from "./wasm/types.js";

type Opening = Exclude<Evaluation, { disposition: "confirm" }> | { disposition: "confirm"; request: Payload };
type Denied = Extract<Outcome, { disposition: "deny" }>;
/** How a call ended that was to be run. */
export type Ran = { readonly content: string; readonly value: unknown } | { readonly denial: Denial };

/** Judge, open, wait, run: the four rungs, each built on the one below. */
export class Ladder {
  readonly #house: House;

  constructor(house: House) {
    this.#house = house;
  }

  async evaluate(init: CallInit, options?: CallOptions): Promise<Evaluation> {
    const prepared = prepare(init, options);
    const { outcome } = await this.#judged(prepared, "look");
    return this.#evaluation(prepared, outcome);
  }

  async request(init: CallInit, options?: CallOptions): Promise<Opening> {
    const house = this.#house;
    const prepared = prepare(init, options);
    const { outcome, owner, key } = await this.#judged(prepared, "act");
    const evaluation = this.#evaluation(prepared, outcome);
    if (evaluation.disposition !== "confirm") {
      house.terminal(
        prepared.call,
        evaluation.disposition === "allow",
        evaluation.basis,
        evaluation.source,
        prepared.scope.context,
      );
      return evaluation;
    }
    if (house.settings.interactive === false) {
      return {
        disposition: "deny",
        basis: "no-human",
        source: "",
        reason: denied(house, prepared, "no-human", { kind: "noHuman" }).denial.reason,
      };
    }
    try {
      const { view, role } = await open(house, prepared, outcome as Confirm, owner, key, { wait: false });
      if (role === "own") await emit(house, prepared.scope, view.payload);
      return { disposition: "confirm", request: view.payload };
    } catch (error) {
      house.settings.logger.error("a confirmation could not be recorded, the call is refused", {
        tool: init.toolName,
        error: messageOf(error),
      });
      return {
        disposition: "deny",
        basis: "persist-failed",
        source: "",
        reason: denied(house, prepared, "persist-failed", { kind: "persistFailed" }).denial.reason,
      };
    }
  }

  async authorize(init: CallInit, options?: CallOptions): Promise<Permission> {
    const house = this.#house;
    const prepared = prepare(init, options);
    const judged = await this.#judged(prepared, "act");
    const { outcome, owner, key } = judged;
    if (outcome.disposition === "allow") {
      house.terminal(prepared.call, true, outcome.basis, outcome.source, prepared.scope.context);
      return this.#permission(outcome.basis, outcome.arguments, async () => {});
    }
    const ended =
      outcome.disposition === "deny"
        ? this.#denied(prepared, outcome)
        : await ask(house, prepared, outcome, owner, key, "handOver");
    if (ended.ended === "denied") return { disposition: "deny", basis: ended.basis, reason: ended.denial.reason };
    if (ended.ended !== "handedOver") {
      const detail = "a call with this id has run already";
      return {
        disposition: "deny",
        basis: "duplicate",
        reason: house.texts.denial(
          { kind: "unavailable", toolName: init.toolName, detail },
          () => withInput(prepared.call),
          init.toolName,
        ).reason,
      };
    }
    const { view } = ended;
    return this.#permission("human", view.arguments, async (result) => {
      const content = messageFor(result, house.settings.limits.resultBytes);
      await house.records.change(key, view.payload.confirmationId, { type: "report", result: content });
    });
  }

  /** Runs the tool of the call's name. */
  async execute(init: CallInit, options?: CallOptions): Promise<Executed> {
    const prepared = prepare(init, options);
    const tool = await this.#house.tool(prepared.call, prepared.scope.context);
    const ran = await this.run(prepared, tool);
    if ("denial" in ran) return { denied: true, content: JSON.stringify(ran.denial), denial: ran.denial };
    return { denied: false, content: ran.content, result: ran.value };
  }

  /** Runs a call through all of it. A tool's own error is thrown on. */
  async run(prepared: Prepared, tool: Tool | undefined): Promise<Ran> {
    const house = this.#house;
    const { outcome, owner, key } = await this.#judged(prepared, "act", tool === undefined);
    if (outcome.disposition === "deny" || !tool) {
      return { denial: this.#denied(prepared, outcome as Denied).denial };
    }
    if (outcome.disposition === "allow") {
      house.terminal(prepared.call, true, outcome.basis, outcome.source, prepared.scope.context);
      const info = plainInfo(prepared);
      return ranOf({
        ended: "ran",
        ran: await house.running(runTool(tool.run, outcome.arguments, info, house.settings.limits.resultBytes)),
      });
    }
    const work: Work = { run: tool.run, idempotent: tool.idempotent };
    return ranOf(await ask(house, prepared, outcome, owner, key, work));
  }

  async #judged(
    prepared: Prepared,
    purpose: "act" | "look",
    unknownTool = false,
  ): Promise<Judged & { owner: Owner; key: SessionKey }> {
    const house = this.#house;
    if (purpose === "act") house.pass(prepared.call);
    const owner = await house.ownerOf(prepared.call.sessionId, prepared.scope.context);
    const judged = await house.judge.judge(prepared, owner, purpose, unknownTool);
    return { ...judged, owner, key: house.keyOf(prepared.call.sessionId, owner) };
  }

  #evaluation(prepared: Prepared, outcome: Outcome): Evaluation {
    switch (outcome.disposition) {
      case "allow":
        return { disposition: "allow", basis: outcome.basis, source: outcome.source };
      case "confirm":
        return {
          disposition: "confirm",
          forced: outcome.forced,
          reason: outcome.reason,
          suggestions: outcome.suggestions,
        };
      case "deny": {
        const { denial } = this.#denial(prepared, outcome);
        return { disposition: "deny", basis: outcome.basis, source: outcome.source, reason: denial.reason };
      }
      default:
        return outcome satisfies never;
    }
  }

  #denied(prepared: Prepared, outcome: Denied): Extract<Ended, { ended: "denied" }> {
    return denied(this.#house, prepared, outcome.basis, outcome.refusal, outcome.source);
  }

  #denial({ call }: Prepared, outcome: Denied): { denial: Denial } {
    return { denial: this.#house.texts.denial(outcome.refusal, () => withInput(call), call.toolName) };
  }

  #permission(
    basis: Extract<Permission, { disposition: "allow" }>["basis"],
    text: string,
    settle: (result: unknown) => Promise<void>,
  ): Permission {
    return { disposition: "allow", basis, arguments: text, input: JSON.parse(text), settle };
  }
}

function ranOf(ended: Ended): Ran {
  switch (ended.ended) {
    case "denied":
      return { denial: ended.denial };
    case "stored":
      return { content: ended.content, value: JSON.parse(ended.content) };
    case "ran":
      if (ended.ran.execution === "failed") throw ended.ran.error;
      return { content: ended.ran.content, value: ended.ran.value };
    case "handedOver":
      throw new Error("an approval that was handed over can't run here");
    default:
      return ended satisfies never;
  }
}

/** What a tool hears about a call that nobody had to confirm. */
function plainInfo({ call, scope }: Prepared): CallInfo {
  const { sessionId, toolCallId } = call;
  const { runId, parents, context, signal = new AbortController().signal } = scope;
  return {
    idempotencyKey: `${sessionId}/${toolCallId}`,
    fence: 0,
    parents,
    toolCallId,
    sessionId,
    runId,
    signal,
    context,
  };
}
