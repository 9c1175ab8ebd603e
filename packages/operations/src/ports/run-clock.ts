import { systemClock, type Clock } from "@ccl/core";

/** A clock with timers, so that tests can control deadlines. */
export interface RunClock extends Clock {
  /** Calls back once after this many milliseconds. Returns a function that cancels the call. */
  schedule(
    delayMs: number,
    callback: () => void,
    options?: {
      /** If true, the timer does not keep the process alive. Defaults to false. */
      isBackground?: boolean | undefined;
    },
  ): () => void;
}

// Node's timers do not support longer delays, so those are split.
const maxDelayMs = 2 ** 31 - 1;

/** Adds system timers to a clock that has none. */
export function toRunClock(clock: Clock | RunClock = systemClock): RunClock {
  if ("schedule" in clock) return clock;
  return { now: () => clock.now(), schedule: scheduleTimeout };
}

function scheduleTimeout(
  delayMs: number,
  callback: () => void,
  options?: { isBackground?: boolean | undefined },
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number): void => {
    timer = setTimeout(
      () => (leftMs > maxDelayMs ? wait(leftMs - maxDelayMs) : callback()),
      Math.min(leftMs, maxDelayMs),
    );
    // In browsers a timer is a number.
    if (options?.isBackground === true && typeof timer === "object") timer.unref();
  };
  wait(Math.max(0, delayMs));
  return () => clearTimeout(timer);
}

/** Waits for a time, or until woken. `onWake` receives the function that wakes it, and may return a cleanup. */
export function pause(
  clock: RunClock,
  delayMs: number,
  onWake?: (wake: () => void) => (() => void) | undefined,
): Promise<void> {
  let cleanUp = (): void => {};
  return new Promise<void>((resolve) => {
    const cancel = clock.schedule(delayMs, resolve);
    const clean = onWake?.(resolve);
    cleanUp = () => {
      cancel();
      clean?.();
    };
  }).finally(cleanUp);
}
