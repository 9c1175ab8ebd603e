import { onAbort, sleep, untilAborted } from "@ccl/core/async";

import type { RunEvent } from "../events/run-event.ts";
import { refuse } from "../operations-error.ts";

/** Source of a run's events: a `RunEngine`, or an object with the same method. */
export interface EventSourceOf {
  events(
    runId: string,
    options: { afterSeq: number; signal: AbortSignal },
  ): AsyncIterable<RunEvent>;
}

/** The run, and how to send its events. */
export interface EventStreamOptions {
  engine: EventSourceOf;
  runId: string;
  /**
   * The client's `Last-Event-ID`. The stream continues after it. Without one (or with "") it starts from the beginning.
   */
  lastEventId?: string | null | undefined;
  /** Maximum silence of the stream before it sends a heartbeat for proxies. Defaults to 15,000 ms. */
  heartbeatMs?: number | undefined;
  /** Ends the stream without an error. */
  signal?: AbortSignal | undefined;
}

type NextEvent = Promise<IteratorResult<RunEvent, unknown>>;

/** Events of a run, read on demand. */
export interface OpenEvents {
  next(): NextEvent;
  /** Stops reading, even during a wait. */
  end(): void;
  /** Aborts once reading has stopped. */
  ended: AbortSignal;
}

/** Validates the options and opens the events. @throws OperationsError `invalid_options` */
export function openEvents(options: EventStreamOptions): OpenEvents {
  const { engine, runId, lastEventId, signal, heartbeatMs = defaultHeartbeatMs } = options;
  if (!(Number.isSafeInteger(heartbeatMs) && heartbeatMs > 0))
    refuse(`heartbeatMs must be a whole number above 0, not ${heartbeatMs}.`);
  const controller = new AbortController();
  const { signal: ended } = controller;
  const events = engine.events(runId, { afterSeq: seqOf(lastEventId ?? ""), signal: ended });
  const iterator = events[Symbol.asyncIterator]();
  const forget = signal && onAbort(signal, () => controller.abort());
  const end = (): void => {
    forget?.();
    controller.abort();
  };
  if (signal?.aborted === true) end();
  return {
    // Ends on the signal, even if the event source ignores it.
    async next() {
      try {
        if (!ended.aborted) return await untilAborted(iterator.next(), ended);
      } catch (error) {
        if (!ended.aborted) throw error;
      }
      return { done: true, value: undefined };
    },
    end,
    ended,
  };
}

function seqOf(lastEventId: string): number {
  if (/^\d{0,15}$/.test(lastEventId)) return Number(lastEventId);
  const shown = JSON.stringify(lastEventId.slice(0, 40));
  refuse(`The last event id ${shown} is not the number of an event.`);
}

/** Default time without events before a heartbeat. */
const defaultHeartbeatMs: number = 15_000;

// Maximum bytes buffered for a slow reader. A single event may exceed it.
const maxBufferedBytes = 65_536;

const encoder = new TextEncoder();

/**
 * Streams the events of a run as server-sent events. Each message has the event's JSON as data and its number as id.
 * Reads events only on demand, so a slow reader does not fill memory. Ends after `run.finished`.
 */
export function streamOf(
  events: OpenEvents,
  heartbeatMs: number = defaultHeartbeatMs,
  first?: NextEvent,
): ReadableStream<Uint8Array> {
  let ahead = first;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (events.ended.aborted) return;
        const heartbeat = setInterval(() => {
          // A slow reader needs no heartbeat.
          if ((controller.desiredSize ?? 0) >= maxBufferedBytes)
            controller.enqueue(encoder.encode(": \n\n"));
        }, heartbeatMs);
        events.ended.addEventListener("abort", () => clearInterval(heartbeat), { once: true });
      },
      async pull(controller) {
        try {
          const next = await (ahead ?? events.next());
          ahead = undefined;
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

// JSON has no other unescaped line separators, and some readers also split at these.
const lineSeparators = /[\u2028\u2029]/g;

/**
 * Formats an event as one message of a stream, with its number as the id. JSON escapes every line break, so nothing in
 * it can end a line. A run's text can therefore only reach the field `data`. Format:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
function frameEvent(event: RunEvent): string {
  const data = JSON.stringify(event).replace(
    lineSeparators,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  return `id: ${event.seq}\ndata: ${data}\n\n`;
}

/** Removes internals that chat users must not see: values for prompts or handlers only, summaries and details. */
function withoutInternals(event: RunEvent): RunEvent {
  if (event.type === "operation.finished" && event.error?.details !== undefined)
    return { ...event, error: { ...event.error, details: undefined } };
  if (event.type !== "run.finished") return event;
  const hidden = { inputsSummary: undefined, outputsSummary: undefined, errorDetails: undefined };
  const operationRuns = event.result.operationRuns.map((run) => ({ ...run, ...hidden }));
  const artifacts = event.result.artifacts.filter(
    ({ usage }) => usage === "ui_only" || usage === "prompt+ui",
  );
  return { ...event, result: { ...event.result, operationRuns, artifacts } };
}

/** Options of the stream, and additional response headers. */
export interface EventResponseOptions extends EventStreamOptions {
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the events as a response to a request whose `Last-Event-ID` is `lastEventId`. A client that has already
 * received all events gets 204 without a body, so that an `EventSource` does not reconnect. The response starts with
 * the first event, or after the heartbeat interval if that is sooner.
 * @throws OperationsError `invalid_options`, `unknown_run`, and what the store throws
 */
export async function createEventResponse(options: EventResponseOptions): Promise<Response> {
  const events = openEvents(options);
  const headers = { "cache-control": "no-store", ...options.headers };
  const first = events.next();
  const answered = new AbortController();
  try {
    // Also covers the time until the first event is known.
    const silence = sleep(options.heartbeatMs ?? defaultHeartbeatMs, answered.signal);
    const answer = await Promise.race([first, silence]);
    if (answer?.done === true) {
      events.end();
      return new Response(null, { status: 204, headers });
    }
  } catch (error) {
    events.end();
    throw error;
  } finally {
    answered.abort();
  }
  // Buffering proxies would delay the events.
  const own = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };
  const stream = streamOf(events, options.heartbeatMs, first);
  return new Response(stream, { headers: { ...own, ...headers } });
}
