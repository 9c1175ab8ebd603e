import { systemClock, type Clock } from "@ccl/core";

/** A clock that also rings, so that tests can hold deadlines still. */
export interface RunClock extends Clock {
  /** Calls back once after that many milliseconds, unless the function that it gives is called before. */
  schedule(
    delayMs: number,
    callback: () => void,
    options?: {
      /** True: the timer keeps no process alive. Default false. */
      isBackground?: boolean | undefined;
    },
  ): () => void;
}

// Node's timers take no longer delay; a longer one waits in pieces.
const maxDelayMs = 2 ** 31 - 1;

/** Any clock, with the machine's timers where it has none of its own. */
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
    // Browsers give a number.
    if (options?.isBackground === true && typeof timer === "object") timer.unref();
  };
  wait(Math.max(0, delayMs));
  return () => clearTimeout(timer);
}
