import type { EventPage } from "../events/event-page.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { RunResult } from "../run/run-result.ts";
import type { RunStep } from "./run-step.ts";
import type { RunAppend } from "./run-store.ts";

/** What an append holds, without making it. */
export interface AppendContent {
  events: EventPage;
  steps(): readonly RunStep[];
}

/** An append like any other, whose events and steps are made when they are first read. */
export class LazyAppend implements RunAppend {
  // Of each append itself, so that a copy has them; the same functions for all, since V8 keeps others with the hidden
  // class, and what they hold alive with them until a full collection.
  static readonly #getters: PropertyDescriptorMap & ThisType<LazyAppend> = {
    events: {
      enumerable: true,
      get() {
        return this.#content.events.read();
      },
    },
    steps: {
      enumerable: true,
      get() {
        return this.#content.steps();
      },
    },
  };
  readonly runId: string;
  readonly fencingToken: number;
  declare readonly events: readonly RunEvent[];
  declare readonly steps: readonly RunStep[];
  declare readonly result?: RunResult;
  readonly #content: AppendContent;

  constructor({ runId, fencingToken, result }: Omit<RunAppend, "events" | "steps">, content: AppendContent) {
    this.runId = runId;
    this.fencingToken = fencingToken;
    this.#content = content;
    Object.defineProperties(this, LazyAppend.#getters);
    if (result !== undefined) this.result = result;
  }

  /** Undefined for appends that were made otherwise, copies among them. */
  static contentOf(append: RunAppend): AppendContent | undefined {
    return #content in append ? append.#content : undefined;
  }
}
