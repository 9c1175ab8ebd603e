import type { RunEvent } from "./run-event.ts";

/** Events that follow one another. Those of operations may be made when they are first read: nobody may ever ask. */
export interface EventPage {
  /** Of the first event. */
  readonly firstSeq: number;
  readonly length: number;
  read(): readonly RunEvent[];
}

/** A page of events that are there, one at least. */
export function pageOf(events: readonly RunEvent[]): EventPage {
  return { firstSeq: events[0]?.seq ?? 1, length: events.length, read: () => events };
}

/** The number of a page's last event. */
export function lastSeqOf({ firstSeq, length }: EventPage): number {
  return firstSeq + length - 1;
}
