import type { RunClock } from "../ports/run-clock.ts";

/** A clock whose time and timers advance only on request. */
export interface VirtualClock extends RunClock {
  /** Advances the time and calls due timers in order. Between two timers, promises that they resolve can settle. */
  advance(ms: number): Promise<void>;
  /** Timers that have neither fired nor been cancelled. Background timers are not counted. */
  readonly pendingTimers: number;
}

/** Creates a clock that starts at `startMs`. */
export function createVirtualClock(startMs: number = 0): VirtualClock {
  const timers = new Map<number, { at: number; callback: () => void; isBackground: boolean }>();
  let nowMs = startMs;
  let lastId = 0;
  const nextDue = (untilMs: number): number | undefined => {
    let best: { id: number; at: number } | undefined;
    for (const [id, { at }] of timers)
      if (at <= untilMs && (best === undefined || at < best.at)) best = { id, at };
    return best?.id;
  };
  return {
    now: () => nowMs,
    schedule(delayMs, callback, { isBackground = false } = {}) {
      lastId += 1;
      const id = lastId;
      timers.set(id, { at: nowMs + Math.max(0, delayMs), callback, isBackground });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settlePromises();
      for (let id = nextDue(untilMs); id !== undefined; id = nextDue(untilMs)) {
        const timer = timers.get(id);
        timers.delete(id);
        nowMs = Math.max(nowMs, timer?.at ?? nowMs);
        timer?.callback();
        await settlePromises();
      }
      nowMs = untilMs;
    },
    get pendingTimers() {
      return [...timers.values()].filter(({ isBackground }) => !isBackground).length;
    },
  };
}

/** Runs everything that waits for promises alone. */
export async function settlePromises(): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, 0));
}
