/** Starts operations in order of arrival, up to a limit across all runs of an engine. */
export interface ConcurrencyLimiter {
  /** Takes a slot if one is free. */
  enter(): boolean;
  /** Calls `begin` after taking a slot. Returns a function that cancels the wait. */
  wait(begin: () => void): () => void;
  /** Releases the slot of an operation that has ended. */
  release(): void;
  /** Number of operations running and waiting. */
  counts(): { running: number; waiting: number };
}

/** Creates a limiter. A limit below 1 counts as 1, so that work cannot hang. */
export function createConcurrencyLimiter(limit: number = Infinity): ConcurrencyLimiter {
  const waiting = new Set<() => void>();
  let running = 0;
  const enter = (): boolean => {
    if (running >= Math.max(1, limit)) return false;
    running += 1;
    return true;
  };
  return {
    enter,
    wait(begin) {
      waiting.add(begin);
      return () => void waiting.delete(begin);
    },
    release() {
      running -= 1;
      const [next] = waiting;
      if (next === undefined || !enter()) return;
      waiting.delete(next);
      next();
    },
    counts: () => ({ running, waiting: waiting.size }),
  };
}
