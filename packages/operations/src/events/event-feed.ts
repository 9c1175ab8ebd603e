import { onAbort } from "@ccl/core/async";
import { createEmitter, type ListenerErrorHandler } from "@ccl/core/events";

import type { RunEvent } from "./run-event.ts";

/** Receives each later event of a run. Neither its errors nor its duration affect the run. */
export type RunEventListener = (event: RunEvent) => unknown;

/** Publishes the events of one run as they become durable. */
export interface EventFeed {
  publish(events: readonly RunEvent[]): void;
  /** Returns a function that unsubscribes the listener. */
  listen(listener: RunEventListener): () => void;
  /** Returns the kept events after that number. Undefined if the feed has already dropped some of them. */
  after(seq: number): readonly RunEvent[] | undefined;
  /** Resolves on the next publication, when the feed ends, or when the signal aborts. */
  changed(signal?: AbortSignal): Promise<void>;
  /** Ends the feed. No more events follow. */
  end(): void;
  readonly hasEnded: boolean;
  /** Number of the last event. 0 before the first. */
  readonly lastSeq: number;
}

/** Creates a feed that keeps this many of the newest events, and never more than twice as many. */
export function createEventFeed(
  keptEvents: number,
  onListenerError?: ListenerErrorHandler,
): EventFeed {
  const emitter = createEmitter<{ event: RunEvent; change: undefined }>({ onListenerError });
  let recent: RunEvent[] = [];
  let lastSeq = 0;
  let hasEnded = false;
  return {
    get lastSeq() {
      return lastSeq;
    },
    get hasEnded() {
      return hasEnded;
    },
    publish(events) {
      const last = events.at(-1);
      if (last === undefined) return;
      lastSeq = last.seq;
      recent = [...recent, ...events];
      if (recent.length > 2 * keptEvents) recent = recent.slice(-keptEvents);
      for (const event of events) emitter.emit("event", Object.freeze(event));
      emitter.emit("change", undefined);
    },
    listen: (listener) => emitter.on("event", listener),
    after(seq) {
      if (seq >= lastSeq) return [];
      const firstSeq = recent[0]?.seq;
      return firstSeq === undefined || seq + 1 < firstSeq
        ? undefined
        : recent.slice(seq + 1 - firstSeq);
    },
    async changed(signal) {
      if (hasEnded || signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          unsubscribe();
          forget?.();
          resolve();
        };
        const unsubscribe = emitter.on("change", finish);
        const forget = signal && onAbort(signal, finish);
      });
    },
    end() {
      hasEnded = true;
      emitter.emit("change", undefined);
      emitter.clear();
    },
  };
}
