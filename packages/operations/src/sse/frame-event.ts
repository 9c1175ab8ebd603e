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

/** The event without what is not for people who use a chat: values for prompts or handlers only, summaries and details. */
export function withoutInternals(event: RunEvent): RunEvent {
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
