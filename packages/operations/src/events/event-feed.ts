import { lastSeqOf, pageOf, type EventPage } from "./event-page.ts";
import type { RunEvent } from "./run-event.ts";
import { tellGuest } from "./tell-guest.ts";

/** Hears every event of a run from now on. What it throws, and how long it takes, changes nothing. */
export type RunEventListener = (event: RunEvent) => unknown;

/** The events of one run as they become durable. */
export interface EventFeed {
  publish(page: EventPage): void;
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
  let recent: EventPage[] = [];
  let kept = 0;
  const wake = (): void => {
    for (const resume of waiting) resume();
  };
  const tellAll = (event: RunEvent): void => {
    for (const listener of listeners) tellGuest(listener, event);
  };
  // Without getters, which take the most of what making a feed costs.
  const feed = {
    lastSeq: 0,
    hasEnded: false,
    publish(page: EventPage): void {
      if (page.length === 0) return;
      recent.push(page);
      kept += page.length;
      feed.lastSeq = lastSeqOf(page);
      if (listeners.size > 0) for (const event of page.read()) tellAll(Object.freeze(event));
      if (kept > 2 * keptEvents) {
        recent = [pageOf(eventsOf(recent).slice(-keptEvents))];
        kept = keptEvents;
      }
      wake();
    },
    listen(listener: RunEventListener): () => void {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    after(seq: number): readonly RunEvent[] | undefined {
      if (seq >= feed.lastSeq) return [];
      const [first] = recent;
      if (first === undefined || seq + 1 < first.firstSeq) return undefined;
      const pages = recent.filter((page) => lastSeqOf(page) > seq);
      return eventsOf(pages).slice(seq + 1 - (pages[0]?.firstSeq ?? 0));
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

function eventsOf(pages: readonly EventPage[]): RunEvent[] {
  return pages.flatMap((page) => page.read());
}
