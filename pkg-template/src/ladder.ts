import { type AutomaticEnd, auditAlone, endedAlone, ruleOf } from "./audit.js";
import { type Prepared, prepare } from "./calls.js";
import { commonInfo } from "./carry.js";
import { AckError, messageOf } from "./error.js";
import { explained } from "./explain.js";
import type { House } from "./house.js";
import type { Judged, Owner } from "./judge.js";
import { ask, denied, type Ended, opened, type Refused } from "./live.js";
import { type Confirm, surveyFor } from "./open.js";
import { inRun } from "./parking.js";
import { keyOf } from "./policy/hooks.js";
import { messageFor, runTool } from "./results.js";
import { endingOf } from "./signals.js";
import type { Tool } from "./tools.js";
import type {
  CallInfo,
  CallInit,
  CallOptions,
  Denial,
  Evaluation,
  Executed,
  Explanation,
  Payload,
  Permission,
  SessionKey,
} from "./types.js";
import type { Outcome } from "./wasm/types.js";

type Opening = Exclude<Evaluation, { disposition: "confirm" }> | { disposition: "confirm"; request: Payload };
type Denied = Extract<Outcome, { disposition: "deny" }>;
type Next =
  | { readonly is: "refused"; readonly refused: Refused }
  | { readonly is: "asked"; readonly asked: Confirm }
  | { readonly is: "passed"; readonly outcome: Extract<Outcome, { disposition: "allow" }>; readonly end: AutomaticEnd };
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

  /** Judges like `evaluate`, and tells what was asked and who decided. */
  async explain(init: CallInit, options?: CallOptions): Promise<Explanation> {
    const prepared = prepare(init, options);
    const judged = await this.#judged(prepared, "look");
    return explained(prepared.call, judged, this.#evaluation(prepared, judged.outcome));
  }

  async request(init: CallInit, options?: CallOptions): Promise<Opening> {
    const house = this.#house;
    const prepared = prepare(init, options);
    const judged = await this.#judged(prepared, "act");
    const { outcome, owner, key } = judged;
    const evaluation = this.#evaluation(prepared, outcome);
    if (outcome.disposition !== "confirm") {
      const execution = outcome.disposition === "allow" ? "caller" : "none";
      endedAlone(house, endOf(prepared, judged, outcome), prepared.scope.context, execution);
    }
    if (evaluation.disposition !== "confirm") return evaluation;
    const asked = outcome as Confirm;
    const question = await opened(house, { prepared, asked, owner, key, wait: false });
    if ("ended" in question) {
      const { denial } = question;
      return { disposition: "deny", basis: "persist-failed", source: "", reason: denial.reason };
    }
    return { disposition: "confirm", request: question.view.payload };
  }

  async authorize(
    init: CallInit,
    { canEdit, ...options }: Partial<CallOptions> & { canEdit?: boolean | undefined } = {},
  ): Promise<Permission> {
    const prepared = prepare(init, options);
    return inRun(prepared.scope, prepared.call, () => this.#authorized(prepared, canEdit === true));
  }

  async #authorized(prepared: Prepared, editable: boolean): Promise<Permission> {
    const house = this.#house;
    const judged = await this.#judged(prepared, "act");
    const { owner, key } = judged;
    const next = await this.#next(prepared, judged, key);
    if (next.is === "passed") {
      auditAlone(house, next.end, "caller");
      return this.#permission(next.outcome.basis, next.outcome.arguments, async () => {});
    }
    const ended =
      next.is === "refused"
        ? next.refused
        : await ask(house, { prepared, asked: next.asked, owner, key, editable }, "handOver");
    if (ended.ended === "denied") return { disposition: "deny", basis: ended.basis, reason: ended.denial.reason };
    if (ended.ended !== "handedOver") throw new AckError("internal", "an approval for a caller was used here");
    const { view } = ended;
    return this.#permission("human", view.arguments, async (value) => {
      const result = messageFor(value, house.settings.limits.resultBytes);
      await house.records.change(key, view.payload.confirmationId, { type: "report", owner: house.instance, result });
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
  run(prepared: Prepared, tool: Tool | undefined): Promise<Ran> {
    return inRun(prepared.scope, prepared.call, () => this.#ran(prepared, tool));
  }

  async #ran(prepared: Prepared, tool: Tool | undefined): Promise<Ran> {
    const house = this.#house;
    const judged = await this.#judged(prepared, "act", tool ?? "unknown");
    const { owner, key } = judged;
    if (!tool) return { denial: this.#denied(prepared, judged, judged.outcome as Denied).denial };
    const next = await this.#next(prepared, judged, key);
    if (next.is === "refused") return ranOf(next.refused);
    if (next.is === "asked") {
      const idempotent = house.policies.standing.idempotent(keyOf(prepared.call), tool);
      return ranOf(await ask(house, { prepared, asked: next.asked, owner, key, idempotent, editable: true }, tool));
    }
    const { resultBytes } = house.settings.limits;
    const ran = await house.running(runTool(tool.run, next.outcome.arguments, infoOf(prepared), resultBytes));
    auditAlone(house, next.end, ran.execution);
    return ranOf({ ended: "ran", ran });
  }

  /** What becomes of a judged call: it is refused, a person is asked, or it passes, which its one event has said. */
  async #next(prepared: Prepared, judged: Judged, key: SessionKey): Promise<Next> {
    const house = this.#house;
    const { call, scope } = prepared;
    const { outcome, digest } = judged;
    const refused = (refusal: Refused): Next => ({ is: "refused", refused: refusal });
    if (outcome.disposition === "deny") return refused(this.#denied(prepared, judged, outcome));
    let asked: Confirm | undefined;
    try {
      asked = await this.#asked(prepared, outcome, key);
    } catch (error) {
      house.settings.logger.error("a call's records could not be read, it is refused", {
        tool: call.toolName,
        error: messageOf(error),
      });
      return refused(denied(house, prepared, { kind: "persistFailed" }, { digest }));
    }
    house.closing.throwIfAborted();
    if (scope.signal?.aborted) return refused(denied(house, prepared, { kind: endingOf(scope.signal) }, { digest }));
    if (asked || outcome.disposition !== "allow") return { is: "asked", asked: asked as Confirm };
    const end = endOf(prepared, judged, outcome);
    house.terminal(end, scope.context);
    return { is: "passed", outcome, end };
  }

  /**
   * What a person is asked, when one is. INVARIANT: a repeat of a call that a person was asked about never passes
   * without their answer, although a grant or an endorsement would let it pass by now.
   */
  async #asked(prepared: Prepared, outcome: Outcome, key: SessionKey): Promise<Confirm | undefined> {
    if (outcome.disposition === "confirm") return outcome;
    if (outcome.disposition === "deny" || (outcome.basis !== "grant" && outcome.basis !== "endorsement"))
      return undefined;
    if (this.#house.settings.duplicate === "ask") return undefined;
    const { found } = await surveyFor(this.#house, prepared, outcome.digest, key);
    if (!found) return undefined;
    const { arguments: text, digest } = outcome;
    const reason = "the same call was asked about before";
    return { disposition: "confirm", forced: false, reason, suggestions: [], arguments: text, digest };
  }

  async #judged(
    prepared: Prepared,
    purpose: "act" | "look",
    tool?: Tool | "unknown",
  ): Promise<Judged & { owner: Owner; key: SessionKey }> {
    const house = this.#house;
    house.closing.throwIfAborted();
    if (purpose === "act") house.pass(prepared.call);
    const owner = await house.ownerOf(prepared.call.sessionId, prepared.scope.context);
    const judged = await house.judge.judge(prepared, owner, purpose, tool);
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
        const { basis, source, refusal } = outcome;
        return { disposition: "deny", basis, source, reason: this.#house.texts.denial(refusal, prepared.call).reason };
      }
      default:
        return outcome satisfies never;
    }
  }

  #denied(prepared: Prepared, judged: Judged, outcome: Denied): Refused {
    return denied(this.#house, prepared, outcome.refusal, endOf(prepared, judged, outcome));
  }

  #permission(
    basis: Extract<Permission, { disposition: "allow" }>["basis"],
    text: string,
    settle: (result: unknown) => Promise<void>,
  ): Permission {
    return { disposition: "allow", basis, arguments: text, input: JSON.parse(text), settle };
  }
}

function endOf({ call }: Prepared, { digest, trace }: Judged, outcome: Exclude<Outcome, Confirm>): AutomaticEnd {
  const { basis, source, disposition } = outcome;
  return { call, digest, allowed: disposition === "allow", basis, source, rule: ruleOf(source, trace) };
}

function ranOf(ended: Ended): Ran {
  switch (ended.ended) {
    case "denied":
      return { denial: ended.denial };
    case "stored":
      return { content: ended.content, value: JSON.parse(ended.content) };
    case "ran":
      if (ended.ran.execution === "ran") return { content: ended.ran.content, value: ended.ran.value };
      throw ended.ran.execution === "failed" ? ended.ran.error : new AckError("internal", ended.ran.detail);
    case "handedOver":
      throw new AckError("internal", "an approval was handed over that was to be run here");
    default:
      return ended satisfies never;
  }
}

/** What a tool hears about a call that nobody had to confirm. */
function infoOf({ call, scope }: Prepared): CallInfo {
  const { sessionId, toolCallId } = call;
  const { runId, parents } = scope;
  return { ...commonInfo(sessionId, toolCallId, scope), fence: 0, toolCallId, parents, runId };
}
