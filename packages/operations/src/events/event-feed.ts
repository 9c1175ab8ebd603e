import type { RunEvent } from "./run-event.ts";

/** Hears every event of a run from now on. What it throws, and how long it takes, changes nothing. */
export type RunEventListener = (event: RunEvent) => unknown;

/** The events of one run as they become durable. */
export interface EventFeed {
  publish(events: readonly RunEvent[]): void;
  /** Gives a function that stops it. */
  listen(listener: RunEventListener): () => void;
  /** What is kept of the events after that number; undefined where some of them are no longer kept here. */
  after(seq: number): readonly RunEvent[] | undefined;
  /** Resolves with the next publication, or when the feed ends or the signal is aborted. */
  changed(signal?: AbortSignal): Promise<void>;
  /** No more events come. */
  end(): void;
  readonly hasEnded: boolean;
  /** Of the last event; 0 before the first. */
  readonly lastSeq: number;
}

/** A feed that keeps that many of the newest events, and twice as many at most. */
export function createEventFeed(keptEvents: number): EventFeed {
  const listeners = new Set<RunEventListener>();
  const waiting = new Set<() => void>();
  let recent: RunEvent[] = [];
  const wake = (): void => {
    for (const resume of waiting) resume();
  };
  // Without getters, which take the most of what making a feed costs.
  const feed = {
    lastSeq: 0,
    hasEnded: false,
    publish(events: readonly RunEvent[]): void {
      for (const event of events) {
        recent.push(event);
        feed.lastSeq = event.seq;
        if (listeners.size > 0) Object.freeze(event);
        for (const listener of listeners) tell(listener, event);
      }
      if (recent.length > 2 * keptEvents) recent = recent.slice(-keptEvents);
      if (events.length > 0) wake();
    },
    listen(listener: RunEventListener): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    after(seq: number): readonly RunEvent[] | undefined {
      if (seq >= feed.lastSeq) return [];
      const from = seq - (recent[0]?.seq ?? feed.lastSeq + 1) + 1;
      return from < 0 ? undefined : recent.slice(from);
    },
    async changed(signal?: AbortSignal): Promise<void> {
      if (feed.hasEnded || signal?.aborted === true) return;
      let resume: () => void = () => {};
      await new Promise<void>((resolve) => {
        resume = resolve;
        waiting.add(resume);
        signal?.addEventListener("abort", resume, { once: true });
      });
      waiting.delete(resume);
      signal?.removeEventListener("abort", resume);
    },
    end(): void {
      feed.hasEnded = true;
      listeners.clear();
      wake();
    },
  };
  return feed;
}

function tell(listener: RunEventListener, event: RunEvent): void {
  try {
    const answer = listener(event);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // A listener is a guest: what it throws is its own affair.
  }
}
