/** One line that shows the progress of a long step. */
export interface Progress {
  update(label: string, done: number, total?: number): void;
  /** Clears the line for other output. */
  clear(): void;
}

const FIRST_AFTER_MS = 250;
const EVERY_MS = 80;

/** Writes only to a terminal that can clear a line, and only after a step has run for a quarter of a second. */
export function createProgress(
  stream: { isTTY?: boolean | undefined; write(text: string): unknown },
  environment: NodeJS.ProcessEnv,
): Progress {
  if (stream.isTTY !== true || environment["TERM"] === "dumb")
    return { update: () => undefined, clear: () => undefined };
  let nextAt = performance.now() + FIRST_AFTER_MS;
  let isShown = false;
  return {
    update(label, done, total) {
      const now = performance.now();
      if (now < nextAt) return;
      nextAt = now + EVERY_MS;
      isShown = true;
      stream.write(`\r\u001B[2K${label} ${done}${total === undefined ? "" : `/${total}`}`);
    },
    clear() {
      if (isShown) stream.write("\r\u001B[2K");
      isShown = false;
    },
  };
}
