import { foldRunEvents, type RunEvent } from "@ccl/operations";

/** Shows the progress of a run. */
export interface ProgressView {
  show(event: RunEvent): void;
}

const marks: Record<string, string> = {
  running: "…",
  done: "✓",
  skipped: "–",
  error: "✗",
  aborted: "■",
};

/** On a terminal, a block of lines that is redrawn with each event. Otherwise a line for each significant event. */
export function createProgressView(out: NodeJS.WriteStream): ProgressView {
  return out.isTTY ? liveView(out) : plainView(out);
}

function plainView(out: NodeJS.WriteStream): ProgressView {
  return {
    show(event) {
      const line = lineOf(event);
      if (line !== undefined) out.write(`  ${line}\n`);
    },
  };
}

function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "operation.finished": {
      const { operationName, status, skippedReason, error } = event;
      const why = skippedReason ?? error?.message;
      return `${marks[status] ?? status} ${operationName}${why === undefined ? "" : ` (${safe(why)})`}`;
    }
    case "main_llm.started":
      return event.attempt > 1 ? `… Main model, again` : "… Main model";
    case "main_llm.finished":
      return `${marks[event.status] ?? event.status} Main model: ${event.finishReason}${event.partial === true ? ", partial" : ""}`;
    case "run.finished":
      return `${marks[event.status] ?? "✗"} Run ${event.status}`;
    default:
      return undefined;
  }
}

function liveView(out: NodeJS.WriteStream): ProgressView {
  const events: RunEvent[] = [];
  let drawn = 0;
  return {
    show(event) {
      events.push(event);
      const view = foldRunEvents(events);
      const width = Math.max(20, out.columns - 4);
      const lines = view.operations.map(
        ({ operationName, status }) => `${marks[status] ?? "?"} ${operationName}`,
      );
      if (view.mainLlm !== undefined) {
        const text = safe(view.text).slice(-width + 14);
        lines.push(`${marks[view.mainLlm.status] ?? "?"} Main model  \u001B[2m${text}\u001B[0m`);
      }
      lines.push(
        view.status === "running" ? `\u001B[2m${view.phase}\u001B[0m` : `Run ${view.status}`,
      );
      const up = drawn === 0 ? "" : `\u001B[${drawn}A`;
      out.write(`${up}${lines.map((line) => `\u001B[2K  ${line}\n`).join("")}`);
      drawn = lines.length;
    },
  };
}

/** One line without control characters, because text of a model or a user must not control the terminal. */
export function safe(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}
