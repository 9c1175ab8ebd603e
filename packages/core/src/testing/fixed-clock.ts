import type { Clock } from "../clock.ts";

/** A clock that moves only when told to. */
export interface FixedClock extends Clock {
  advance(ms: number): void;
  /** Sets the time, backwards too. */
  set(ms: number): void;
}

/** A clock that stands at `startMs`. */
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
