import type { ArtifactStore } from "@ccl/artifact-store";
import type { SessionEventInput } from "./event-input.ts";
import type { SessionEvent, SessionEventKind } from "../event/session-event.ts";

/** A session's events, oldest first. The log is append-only, and events never change. */
export interface EventLog extends Iterable<SessionEvent> {
  readonly length: number;
  /** Same as the session's `record`. */
  append<Kind extends SessionEventKind>(
    kind: Kind,
    data: SessionEventInput[Kind],
    options?: RecordOptions,
  ): Promise<SessionEvent<Kind>>;
  /** Negative indexes count from the end. */
  at(index: number): SessionEvent | undefined;
  slice(start?: number, end?: number): SessionEvent[];
  filter<Kind extends SessionEventKind>(kinds: readonly Kind[]): SessionEvent<Kind>[];
  /** Returns the events from that time on (milliseconds since the epoch). */
  since(timestamp: number): SessionEvent[];
  /** Returns the total tokens of the events. Updated with each event. */
  totalTokens(): number;
}

/** A log, along with the only function that can add to it. */
interface OwnedEventLog {
  log: EventLog;
  push(event: SessionEvent): void;
}

/** Creates an empty log whose `append` is the session's `record`. */
export function createEventLog(append: EventLog["append"]): OwnedEventLog {
  const events: SessionEvent[] = [];
  let tokens = 0;
  const log: EventLog = {
    get length() {
      return events.length;
    },
    append,
    at: (index) => events.at(index),
    slice: (start, end) => events.slice(start, end),
    filter<Kind extends SessionEventKind>(kinds: readonly Kind[]) {
      const selected: ReadonlySet<SessionEventKind> = new Set(kinds);
      const isWanted = (event: SessionEvent): event is SessionEvent<Kind> =>
        selected.has(event.kind);
      return events.filter(isWanted);
    },
    since: (timestamp) => events.filter((event) => event.timestamp >= timestamp),
    totalTokens: () => tokens,
    // Iterates over a copy, because a loop may record events.
    [Symbol.iterator]: () => events.slice().values(),
  };
  const push = (event: SessionEvent): void => {
    events.push(event);
    tokens += event.tokens;
  };
  return { log: Object.freeze(log), push };
}

/** Options for recording an event. */
export interface RecordOptions {
  /** Used in place of the session's own store for large outcomes. */
  artifactStore?: ArtifactStore | undefined;
  signal?: AbortSignal | undefined;
}
