import type { RunEvent } from "../events/run-event.ts";
import {
  defaultHeartbeatMs,
  openEvents,
  streamOf,
  type EventStreamOptions,
  type OpenEvents,
} from "./create-event-stream.ts";

/** A stream, and headers of the response beside those that it needs. */
export interface EventResponseOptions extends EventStreamOptions {
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The events as a response, to a request whose `Last-Event-ID` is `lastEventId`. A client that has seen all of them gets
 * 204 without a body, so that an `EventSource` does not connect again. It answers with the first event, or where that
 * takes longer than a heartbeat.
 * @throws OperationsError `invalid_options`, `unknown_run`, and what the store throws
 */
export async function createEventResponse(options: EventResponseOptions): Promise<Response> {
  const events = openEvents(options);
  const first = events.next();
  const headers = { "cache-control": "no-store", ...options.headers };
  try {
    if (await hasEnded(first, options.heartbeatMs ?? defaultHeartbeatMs)) {
      events.end();
      return new Response(null, { status: 204, headers });
    }
  } catch (error) {
    events.end();
    throw error;
  }
  const stream = streamOf(withFirst(first, events), options);
  // Proxies that buffer would hold events back.
  const own = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };
  return new Response(stream, { headers: { ...own, ...headers } });
}

/** False also while it is not known. */
async function hasEnded(
  first: Promise<IteratorResult<RunEvent, unknown>>,
  waitMs: number,
): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs);
  });
  try {
    return await Promise.race([first.then(({ done }) => done === true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function withFirst(
  first: Promise<IteratorResult<RunEvent, unknown>>,
  events: OpenEvents,
): OpenEvents {
  let isFirst = true;
  return {
    next() {
      if (!isFirst) return events.next();
      isFirst = false;
      return first;
    },
    end: () => events.end(),
    ended: events.ended,
  };
}
