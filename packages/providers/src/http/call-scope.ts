import { LanguageModelError } from "@ccl/core";

/** One call's time limit and the caller's signal, joined; explains afterwards why the call broke. */
export class CallScope {
  readonly #controller = new AbortController();
  readonly #provider: string;
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #onAbort = (): void => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTimedOut = false;

  constructor(
    provider: string,
    limits: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined },
  ) {
    this.#provider = provider;
    this.#signal = limits.signal;
    this.#timeoutMs = limits.timeoutMs;
    if (this.#signal?.aborted === true) this.#controller.abort();
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
    // Beyond what a timer can wait, some platforms would fire it at once.
    if (this.#timeoutMs === undefined || this.#timeoutMs > 2_147_483_647) return;
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.#controller.abort();
    }, this.#timeoutMs);
  }

  /** What to hand to fetch. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What `caught` means for the caller: its own abort, the time limit, or the network; typed errors stay. */
  explain(caught: unknown): LanguageModelError {
    if (LanguageModelError.isInstance(caught)) return caught;
    if (this.#signal?.aborted === true) {
      return new LanguageModelError("aborted", "The call was aborted.", {
        cause: this.#signal.reason,
      });
    }
    if (this.#isTimedOut) {
      return new LanguageModelError(
        "timeout",
        `${this.#provider} took more than ${this.#timeoutMs} ms.`,
      );
    }
    return new LanguageModelError("network_error", `The connection to ${this.#provider} failed.`, {
      cause: caught,
    });
  }

  /** Ends the call: no timer, no listener and no open connection stays behind. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
}
