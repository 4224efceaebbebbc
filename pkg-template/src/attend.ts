import type { Scope } from "./calls.js";
import { insist } from "./clock.js";
import { emit, end, endQuietly, lose, noFor, refuse, tell, tolerant } from "./endings.js";
import { AckError, messageOf } from "./error.js";
import { isLive } from "./holds.js";
import type { House } from "./house.js";
import type { Question } from "./open.js";
import { Parked } from "./parking.js";
import { Seat } from "./seat.js";
import { endingOf } from "./signals.js";
import type { View } from "./wasm/types.js";

const END_TRIES = 7;

/** The call's run was stopped, and its question could not be ended with it: it stays open or is another call's. */
export class RunStopped extends Error {
  readonly ending: "canceled" | "expired";

  constructor(ending: "canceled" | "expired") {
    super("the run was stopped");
    this.ending = ending;
  }
}

/** What a call that attends a question ended with: the settled record, or what `approved` gave. */
export interface Attended<T> {
  readonly view: View;
  readonly done?: T;
  /** This call was the question's own, not one that shared another call's. */
  readonly own: boolean;
}

/** One call at one question, from the question to its end. */
export class Attendance<T> {
  readonly #house: House;
  readonly #question: Question;
  readonly #scope: Scope;
  readonly #seat: Seat;
  readonly #approved: (view: View, seat: Seat) => Promise<T | undefined>;
  #own: boolean;
  #shown: boolean;
  #endsLater = false;

  /** `approved` claims the approval and acts on it; it gives undefined when another writer was first. */
  constructor(
    house: House,
    question: Question,
    scope: Scope,
    approved: (view: View, seat: Seat) => Promise<T | undefined>,
  ) {
    this.#house = house;
    this.#question = question;
    this.#scope = scope;
    this.#approved = approved;
    this.#seat = question.seat ?? new Seat(house, question.key, question.confirmationId);
    this.#own = this.#seat.taken;
    this.#shown = this.#own;
  }

  /** Waits until somebody has answered and carries the answer out. */
  async finish(): Promise<Attended<T>> {
    const { key } = this.#question;
    try {
      while (true) {
        const view = await this.#actionable();
        if (view.overdue) await end(this.#house, key, view, view.overdue, this.#scope.context);
        else if (view.stage === "settled") return this.#settled(view);
        else if (view.stage === "executing" && !view.runsAgain) await tolerant(lose(this.#house, key, view, false));
        else if (!this.#seat.take()) continue;
        else if (view.stage === "pending") await this.#adopt();
        else {
          const done = await this.#carryOut(view);
          if (done !== undefined) return { view, done, own: this.#own };
        }
      }
    } finally {
      if (!this.#endsLater) this.#seat.leave();
    }
  }

  #settled(view: View): Attended<T> {
    if (this.#shown) emit(this.#house, this.#scope, view.payload);
    return { view, own: this.#own };
  }

  /** Nobody waits for it any more: this call does, and its run shows the card. */
  async #adopt(): Promise<void> {
    const { key, confirmationId } = this.#question;
    const adopt = { type: "adopt", owner: this.#house.instance } as const;
    const adopted = await tolerant(this.#house.records.change(key, confirmationId, adopt));
    if (!adopted) return this.#seat.leave();
    if (!this.#shown) emit(this.#house, this.#scope, adopted.view.payload);
    this.#own = true;
    this.#shown = true;
  }

  async #carryOut(view: View): Promise<T | undefined> {
    const { key } = this.#question;
    const no = await noFor(this.#house, view, this.#scope).catch((error: unknown) => {
      if (!this.#house.closing.aborted) throw error;
      return undefined;
    });
    // A stop since the answer ends it; the next turn does that.
    if (this.#scope.signal?.aborted || this.#house.closing.aborted) return undefined;
    if (no) {
      const lost = view.stage === "executing";
      const changed = await tolerant(
        lost ? lose(this.#house, key, view, false) : refuse(this.#house, key, view, no, false, this.#scope.context),
      );
      if (changed) this.#own = this.#shown = true;
      else if (!this.#own) this.#seat.leave();
      return undefined;
    }
    const done = await this.#approved(view, this.#seat);
    if (done !== undefined) this.#own = true;
    else if (!this.#own) this.#seat.leave();
    return done;
  }

  /** The record when there is something to do about it for this call. */
  async #actionable(): Promise<View> {
    for (let due = this.#scope.parking?.due; ; due = undefined) {
      const view = await this.#waited(due);
      if (view) return view;
    }
  }

  /** Undefined when its time to wait was over and there was nothing to park. */
  async #waited(due: AbortSignal | undefined): Promise<View | undefined> {
    const { key, confirmationId } = this.#question;
    const { signal } = this.#scope;
    const stop = new AbortController();
    const cancel = (): void => stop.abort();
    const sources = [this.#house.closing, ...(signal ? [signal] : []), ...(due ? [due] : [])];
    for (const source of sources) source.addEventListener("abort", cancel);
    try {
      if (sources.some((source) => source.aborted)) stop.abort();
      return await this.#house.records.until(key, confirmationId, (view) => this.#read(view), stop.signal);
    } catch (error) {
      if (!stop.signal.aborted || AckError.is(error)) throw error;
      if (this.#house.closing.aborted) return await this.#closed();
      if (signal?.aborted) return await this.#stopped();
      return await this.#park();
    } finally {
      for (const source of sources) source.removeEventListener("abort", cancel);
    }
  }

  #read(view: View | undefined): View | undefined {
    const { key, confirmationId } = this.#question;
    if (!view) throw new AckError("not_found", `the confirmation \`${confirmationId}\` is gone`);
    // INVARIANT: one call, one continuing run: what another instance took over is not this run's any more.
    if (this.#own && view.owner !== this.#house.instance) throw takenOver(confirmationId);
    if (view.stage === "settled" || view.overdue) return view;
    if (this.#seat.taken) return view.stage === "decided" || view.runsAgain ? view : undefined;
    return isLive(this.#house, key, view) ? undefined : view;
  }

  /** Others take over at once, without waiting for the lease. */
  async #closed(): Promise<never> {
    const { key, confirmationId } = this.#question;
    const release = { type: "release", owner: this.#house.instance } as const;
    if (this.#seat.taken) await tolerant(this.#house.records.change(key, confirmationId, release));
    throw this.#house.closing.reason;
  }

  /**
   * The run waits no longer for a person: an open question stays open without it. What was answered by now is given, to
   * be carried out; undefined for what another call of this instance does.
   */
  async #park(): Promise<View | undefined> {
    const { key, confirmationId } = this.#question;
    const { records, settings, instance } = this.#house;
    const park = { type: "park", owner: instance } as const;
    while (true) {
      const view = await insist(settings, () => records.view(key, confirmationId));
      if (view?.stage !== "pending" || view.overdue) return this.#read(view);
      // Throws for what another instance took over: it would refuse to be parked for ever.
      if (!view.parked) this.#read(view);
      const another = !this.#seat.taken && isLive(this.#house, key, view);
      const open =
        view.parked || another
          ? view
          : (await insist(settings, () => tolerant(records.change(key, confirmationId, park))))?.view;
      if (open === undefined) continue;
      if (!this.#shown) emit(this.#house, this.#scope, open.payload);
      throw new Parked(open);
    }
  }

  /** The run was stopped: its own question ends with it, another call's does not. */
  async #stopped(): Promise<View> {
    const { key, confirmationId } = this.#question;
    const ending = this.#scope.signal ? endingOf(this.#scope.signal) : "canceled";
    if (!this.#seat.taken) throw new RunStopped(ending);
    try {
      for (let tried = 0; tried < END_TRIES; tried++) {
        const view = this.#read(await this.#house.records.view(key, confirmationId));
        if (view?.stage === "settled") return view;
        const now = view ?? this.#question.view;
        const { context } = this.#scope;
        const changed = await tolerant(
          end(this.#house, key, now, endingFor(now, ending), context, this.#house.instance),
        );
        if (changed?.view.stage === "settled") return changed.view;
      }
    } catch (error) {
      if (AckError.is(error) && error.code === "taken_over") throw error;
      this.#house.settings.logger.warn("a stopped call's question could not be ended yet", { error: messageOf(error) });
    }
    this.#endsLater = true;
    const { logger } = this.#house.settings;
    this.#house
      .running(this.#endLater(ending))
      .catch((error: unknown) => logger.error("a stopped call's question stays open", { error: messageOf(error) }))
      .finally(() => this.#seat.leave());
    throw new RunStopped(ending);
  }

  /**
   * The call has ended, so the question must, and its seat is kept until then: whoever answered it now would run what
   * nobody waits for. The call's event has been fired.
   */
  async #endLater(ending: "canceled" | "expired"): Promise<void> {
    const { key, confirmationId } = this.#question;
    const { records, settings, instance } = this.#house;
    await insist(settings, async () => {
      const view = await records.view(key, confirmationId);
      if (!view || view.stage === "settled" || view.stage === "executing") return;
      tell(this.#house, this.#scope, await endQuietly(this.#house, key, view, endingFor(view, ending), instance));
    });
  }
}

/** An answer that came first is no longer expired; nobody carries it out. */
function endingFor({ stage }: View, ending: "canceled" | "expired"): "canceled" | "expired" {
  return stage === "decided" ? "canceled" : ending;
}

function takenOver(confirmationId: string): AckError {
  return new AckError("taken_over", `another instance carries on with \`${confirmationId}\`; this run ends`);
}
