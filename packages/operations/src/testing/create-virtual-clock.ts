import type { RunClock } from "../ports/run-clock.ts";

/** A clock whose time and timers move only when told to. */
export interface VirtualClock extends RunClock {
  /** Moves on, calling what is due in the order of its time, and lets the promises that it wakes settle in between. */
  advance(ms: number): Promise<void>;
  /** Timers that have neither rung nor been cancelled, without those in the background. */
  readonly pendingTimers: number;
}

/** A clock that stands at `startMs`. */
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

/** Lets everything run that waits for promises alone. */
export async function settlePromises(): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, 0));
}
