/** One line that shows the progress of a long step. */
export interface Progress {
  update(label: string, done: number, total?: number): void;
  /** Clears the line for other output. */
  clear(): void;
}

const BAR_COLUMNS = 20;
const FIRST_AFTER_MS = 250;
const EVERY_MS = 80;

/**
 * Creates a progress line. It is written only to a terminal that can clear a line, and only once a step has run for
 * 0.25 s.
 */
export function createProgress(
  stream: { isTTY?: boolean | undefined; write(text: string): unknown },
  environment: NodeJS.ProcessEnv,
): Progress {
  if (!stream.isTTY || environment["TERM"] === "dumb")
    return { update: () => undefined, clear: () => undefined };
  const startedAt = performance.now();
  let nextAt = startedAt + FIRST_AFTER_MS;
  let isShown = false;
  return {
    update(label, done, total) {
      const now = performance.now();
      if (now < nextAt) return;
      nextAt = now + EVERY_MS;
      isShown = true;
      const of = total === undefined ? "" : `/${total} ${barOf(done / total)}`;
      const seconds = ((now - startedAt) / 1000).toFixed(1);
      stream.write(`\r\u001B[2K${label} ${done}${of} ${seconds} s`);
    },
    clear() {
      if (isShown) stream.write("\r\u001B[2K");
      isShown = false;
    },
  };
}

/** Draws a bar for a share from 0 to 1. */
export function barOf(share: number): string {
  const filled = Math.round(share * BAR_COLUMNS) || 0;
  return "█".repeat(filled).padEnd(BAR_COLUMNS, "░");
}
