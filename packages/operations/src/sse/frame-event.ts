import type { RunEvent } from "../events/run-event.ts";

// JSON has no other line ends, and readers that split at these as well are known.
const lineSeparators = /[\u2028\u2029]/g;

/**
 * An event as one message of a stream, its number as the id. JSON escapes every line end, so that nothing within it can
 * end a line, and there is no field that text of a run could reach but `data`.
 * Format: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function frameEvent(event: RunEvent): string {
  const data = JSON.stringify(event).replace(
    lineSeparators,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  return `id: ${event.seq}\ndata: ${data}\n\n`;
}
