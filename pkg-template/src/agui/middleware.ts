import { type AbstractAgent, type BaseEvent, Middleware, type RunAgentInput } from "@ag-ui/client";
import { Observable } from "rxjs";
import type { Gate } from "../types.js";
import { checkWrapOptions, type RunStyle, WRAP_OPTIONS, type WrapOptions } from "./options.js";
import { gatedRun } from "./scope.js";

/**
 * The gate for `agent.use(...)`, where the agent itself can't be wrapped. Second choice: it does not hear Stop
 * (`abortRun`), a bare `agent.run(input)` goes past it, and it binds no resume runner. Prefer `wrapAgent`.
 */
export function middleware(gate: Gate, options: WrapOptions = {}): Middleware {
  const style = checkWrapOptions("`middleware`", options, WRAP_OPTIONS);
  return new GateMiddleware(gate, style, options.context);
}

class GateMiddleware extends Middleware {
  readonly #gate: Gate;
  readonly #style: RunStyle;
  readonly #contextOf: WrapOptions["context"];

  constructor(gate: Gate, style: RunStyle, contextOf: WrapOptions["context"]) {
    super();
    this.#gate = gate;
    this.#style = style;
    this.#contextOf = contextOf;
  }

  run(input: RunAgentInput, next: AbstractAgent): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      const run = {
        gate: this.#gate,
        agent: next,
        style: this.#style,
        context: () => this.#contextOf?.(input) ?? {},
        controller: new AbortController(),
        stop: () => {},
      };
      return gatedRun(run, input).subscribe(subscriber);
    });
  }
}
