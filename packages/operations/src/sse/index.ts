export { createEventResponse, type EventResponseOptions } from "./create-event-response.ts";
export { createEventStream, type EventStreamOptions } from "./create-event-stream.ts";
