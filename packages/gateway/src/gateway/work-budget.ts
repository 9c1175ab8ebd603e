/** How much of the idle time the budget regains. */
const share = 0.2;
/** Extends the limit for a request without concurrent ones. Not if others were just read, since more may be waiting. */
const aloneFactor = 75;

/** Time for reading results, shared by all requests, since they run on one thread. Idle time restores it. */
export class WorkBudget {
  readonly #limitMs: number;
  readonly #now: () => number;
  #leftMs: number;
  /** When the last piece of work ended. */
  #atMs: number;

  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs;
    this.#now = now;
    this.#leftMs = limitMs;
    this.#atMs = now();
  }

  /**
   * Starts a piece of work. Returns a check of whether its time is up (later for a request that is alone), and how to
   * end it.
   */
  start(isAlone: () => boolean): { isLate: () => boolean; end: () => void } {
    const startedMs = this.#now();
    this.#leftMs = Math.min(this.#limitMs, this.#leftMs + (startedMs - this.#atMs) * share);
    this.#atMs = startedMs;
    const isRested = this.#leftMs > this.#limitMs / 2;
    return {
      isLate: () =>
        this.#now() - startedMs >=
        (isRested && isAlone() ? this.#limitMs * aloneFactor : this.#leftMs),
      end: () => {
        this.#atMs = this.#now();
        this.#leftMs = Math.max(-this.#limitMs, this.#leftMs - this.#atMs + startedMs);
      },
    };
  }
}
