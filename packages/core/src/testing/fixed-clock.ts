import type { Clock } from "../clock.ts";

/** A clock that moves only when a test sets it. */
export interface FixedClock extends Clock {
  advance(ms: number): void;
  /** Sets the time, also backwards. */
  set(ms: number): void;
}

/** Creates a clock that stands at `startMs`. */
export function createFixedClock(startMs: number): FixedClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    set(ms) {
      nowMs = ms;
    },
  };
}
