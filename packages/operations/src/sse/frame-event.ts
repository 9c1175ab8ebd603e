import type { RunEvent } from "../events/run-event.ts";

// JSON has no other line separators, and some readers are known to split at these as well.
const lineSeparators = /[\u2028\u2029]/g;

/**
 * Formats an event as one message of a stream, with its number as the id. JSON escapes every line break, so nothing
 * within it can end a line. Text of a run can therefore reach the field `data` only. Format:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function frameEvent(event: RunEvent): string {
  const data = JSON.stringify(event).replace(
    lineSeparators,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  return `id: ${event.seq}\ndata: ${data}\n\n`;
}

/**
 * The event without internals that chat users must not see: values for prompts or handlers only, summaries and details.
 */
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
