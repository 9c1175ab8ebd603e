import { sleep } from "@ccl/core/async";

import {
  defaultHeartbeatMs,
  type EventStreamOptions,
  openEvents,
  streamOf,
} from "./create-event-stream.ts";

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
  const answered = new AbortController();
  try {
    // Also covers the time until the first event is known.
    const silence = sleep(options.heartbeatMs ?? defaultHeartbeatMs, answered.signal);
    const first = await Promise.race([events.peek(), silence]);
    if (first?.done === true) {
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
  return new Response(streamOf(events, options.heartbeatMs), { headers: { ...own, ...headers } });
}
