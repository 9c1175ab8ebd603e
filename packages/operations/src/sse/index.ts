export { createEventResponse, type EventResponseOptions } from "./create-event-response.ts";
