export { createEventResponse, type EventResponseOptions } from "./create-event-response.ts";
export {
  createEventStream,
  type EventSourceOf,
  type EventStreamOptions,
} from "./create-event-stream.ts";
