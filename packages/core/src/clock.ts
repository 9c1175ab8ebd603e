/** Source of the current time. Tests and replays replace it. */
export interface Clock {
  /** Returns the milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
