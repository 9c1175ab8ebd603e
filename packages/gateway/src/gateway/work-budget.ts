/** How much of the time between comes back. */
const share = 0.5;
/** A request that is alone keeps no other one waiting, unless those before it were read just now: then more may lie unread. */
const aloneFactor = 20;

/** Milliseconds for reading results, of all requests together, which share one thread; what was spent comes back while nothing is read. */
export class WorkBudget {
  readonly #limitMs: number;
  readonly #now: () => number;
  #leftMs: number;
  /** The end of the last piece. */
  #atMs: number;

  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs;
    this.#now = now;
    this.#leftMs = limitMs;
    this.#atMs = now();
  }

  /** Begins a piece of work; gives whether its time is up, which comes later for one that is alone, and how to end it. */
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
