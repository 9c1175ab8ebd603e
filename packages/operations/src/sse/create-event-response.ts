import { sleep } from "@ccl/core/async";

import {
  defaultHeartbeatMs,
  type EventStreamOptions,
  openEvents,
  streamOf,
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
  const headers = { "cache-control": "no-store", ...options.headers };
  const answered = new AbortController();
  try {
    // Also where it is not known yet.
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
  // Proxies that buffer would hold events back.
  const own = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };
  return new Response(streamOf(events, options), { headers: { ...own, ...headers } });
}
