import { truncateMiddle, type TokenCounter } from "@ccl/core";

const logLine =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b)/;
const errorLine =
  /\b(?:error|err|exception|fatal|fail(?:ed|ure)?|panic|traceback|denied|refused|timed? ?out)\b/i;
const longestLine = 400;
const edgeLines = 3;
const errorLines = 12;

/** True when at least half of the lines begin with a time or a level. */
export function looksLikeLog(sample: string): boolean {
  const lines = sample.split("\n", 200).filter((line) => line.trim() !== "");
  return (
    lines.length >= 4 &&
    lines.filter((line) => logLine.test(line.slice(0, 40))).length * 2 >= lines.length
  );
}

const errorStart =
  /^[ \t]*(?:\[?(?:error|fatal|panic|exception|failure|failed)\b\]?[: (]|traceback \()/im;

/** True when a line begins by naming an error. */
export function namesError(sample: string): boolean {
  return sample.includes("\n") && errorStart.test(sample);
}

/** The first and last lines, the lines that name an error, and how many were left out between them. */
export function summarizeLog(
  text: string,
  { counter, maxTokens }: { counter: TokenCounter; maxTokens: number },
): string {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1)?.trim() === "") lines.pop();
  const kept = new Set<number>();
  for (let index = 0; index < Math.min(edgeLines, lines.length); index += 1) {
    kept.add(index);
    kept.add(lines.length - 1 - index);
  }
  let errors = 0;
  for (let index = 0; index < lines.length && errors < errorLines; index += 1) {
    if (!kept.has(index) && errorLine.test((lines[index] ?? "").slice(0, longestLine))) {
      kept.add(index);
      errors += 1;
    }
  }
  const indexes = [...kept].sort((a, b) => a - b);
  const [first = "", ...shorter] = [longestLine, 200, 100].map((maxChars) =>
    joinLines(lines, indexes, maxChars),
  );
  const fitting = [first, ...shorter].find((shown) => counter.count(shown) <= maxTokens);
  return fitting ?? truncateMiddle(shorter.at(-1) ?? first, { maxTokens, counter }).text;
}

function joinLines(lines: readonly string[], indexes: readonly number[], maxChars: number): string {
  const shown: string[] = [];
  let next = 0;
  for (const index of indexes) {
    if (index > next) shown.push(`[... ${index - next} lines left out ...]`);
    shown.push(truncateMiddle(lines[index] ?? "", { maxChars }).text);
    next = index + 1;
  }
  return shown.join("\n");
}
