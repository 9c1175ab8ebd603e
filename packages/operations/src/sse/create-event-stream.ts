import { untilAborted } from "@ccl/core/async";

import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import { frameEvent, withoutInternals } from "./frame-event.ts";

/** What has the events of runs: a `RunEngine`, or anything alike. */
export interface EventSourceOf {
  events(
    runId: string,
    options: { afterSeq: number; signal: AbortSignal },
  ): AsyncIterable<RunEvent>;
}

/** Which run, and how its events are sent. */
export interface EventStreamOptions {
  engine: EventSourceOf;
  runId: string;
  /** The `Last-Event-ID` that a client sent; the stream goes on behind it. Absent, null and "" mean from the start. */
  lastEventId?: string | null | undefined;
  /** How long the stream may be silent before it sends a heartbeat for proxies; default 15,000. */
  heartbeatMs?: number | undefined;
  /** How long a client should wait before it connects again; the client's own time by default. */
  retryMs?: number | undefined;
  /** Ends the stream without an error. */
  signal?: AbortSignal | undefined;
}

/**
 * The events of a run as server-sent events: each one message whose data is the event as JSON and whose id is its number.
 * Events are read as the stream is, so that a slow reader holds nothing in memory. It ends after `run.finished`.
 * @throws OperationsError `invalid_options`
 */
export function createEventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  return streamOf(openEvents(options), options);
}

/** The events of a run as they are asked for. */
export interface OpenEvents {
  /** The first event, which `next` gives as well. */
  peek(): Promise<IteratorResult<RunEvent, unknown>>;
  next(): Promise<IteratorResult<RunEvent, unknown>>;
  /** Stops reading, also while it waits. */
  end(): void;
  /** Aborted once nothing more is read. */
  ended: AbortSignal;
}

/** Checks the options and opens the events. */
export function openEvents(options: EventStreamOptions): OpenEvents {
  const { engine, runId, lastEventId, signal, heartbeatMs, retryMs } = options;
  for (const [name, value] of Object.entries({ heartbeatMs, retryMs })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw new OperationsError(
      "invalid_options",
      `${name} must be a whole number above 0, not ${value}.`,
    );
  }
  const controller = new AbortController();
  const end = (): void => {
    signal?.removeEventListener("abort", end);
    controller.abort();
  };
  const afterSeq = seqOf(lastEventId ?? "");
  const iterator = engine
    .events(runId, { afterSeq, signal: controller.signal })
    [Symbol.asyncIterator]();
  if (signal?.aborted === true) end();
  else signal?.addEventListener("abort", end, { once: true });
  const ended = controller.signal;
  // Whether the events heed their signal or not.
  const read = async (): Promise<IteratorResult<RunEvent, unknown>> => {
    if (ended.aborted) return over;
    return untilAborted(iterator.next(), ended).catch((error: unknown) => {
      if (ended.aborted) return over;
      throw error;
    });
  };
  let ahead: ReturnType<OpenEvents["next"]> | undefined;
  return {
    peek: () => (ahead ??= read()),
    next() {
      const first = ahead ?? read();
      ahead = undefined;
      return first;
    },
    end,
    ended,
  };
}

const over: IteratorResult<RunEvent, unknown> = { done: true, value: undefined };

function seqOf(lastEventId: string): number {
  if (lastEventId === "") return 0;
  const seq = Number(lastEventId);
  if (/^\d{1,15}$/.test(lastEventId) && Number.isSafeInteger(seq)) return seq;
  const shown = JSON.stringify(lastEventId.slice(0, 40));
  throw new OperationsError(
    "invalid_options",
    `The last event id ${shown} is no number of an event.`,
  );
}

type StreamSettings = Omit<EventStreamOptions, "engine" | "runId" | "lastEventId" | "signal">;

/** How long a stream is silent where nothing is said. */
export const defaultHeartbeatMs: number = 15_000;

// Wait for a slow reader, beside the event that exceeds it.
const maxBufferedBytes = 65_536;

const encoder = new TextEncoder();

/** A stream of events that are open already. */
export function streamOf(events: OpenEvents, settings: StreamSettings): ReadableStream<Uint8Array> {
  const { heartbeatMs = defaultHeartbeatMs, retryMs } = settings;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (retryMs !== undefined) controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
        if (events.ended.aborted) return;
        const heartbeat = setInterval(() => {
          // A reader that is behind has enough to read.
          if ((controller.desiredSize ?? 0) >= maxBufferedBytes)
            controller.enqueue(encoder.encode(": \n\n"));
        }, heartbeatMs);
        events.ended.addEventListener("abort", () => clearInterval(heartbeat), { once: true });
      },
      async pull(controller) {
        try {
          const next = await events.next();
          if (next.done === true) {
            events.end();
            controller.close();
          } else controller.enqueue(encoder.encode(frameEvent(withoutInternals(next.value))));
        } catch (error) {
          events.end();
          throw error;
        }
      },
      cancel: () => events.end(),
    },
    { highWaterMark: maxBufferedBytes, size: (chunk) => chunk.byteLength },
  );
}
