import { structuredPatch } from "diff";

const context = 2;
const maxEdits = 2_000;
/** Maximum length of a changed line. Longer lines are shortened to the text around their change. */
const longLine = 300;
const shownAround = 80;

/**
 * Lists the lines that differ between two texts, with context. Each starts with a space, `-` or
 * `+`. Long changed lines are shortened to their differences. Returns undefined if more than 2,000
 * lines differ.
 */
export function diffTexts(before: string, after: string): string | undefined {
  // Show a missing final newline only if the other text has one.
  const end = before.endsWith("\n") || after.endsWith("\n") ? "" : "\n";
  const texts = [before + end, after + end] as const;
  const patch = structuredPatch("", "", ...texts, "", "", { context, maxEditLength: maxEdits });
  const hunks = patch?.hunks.map(({ oldStart, newStart, lines }) => {
    const head = `@@ -${oldStart} +${newStart} @@`;
    return [head, ...aroundChanges(lines)].join("\n");
  });
  return hunks?.join("\n");
}

/** Shortens a block of removed lines and the added lines after it. The lines are compared in pairs. */
function aroundChanges(lines: readonly string[]): string[] {
  const shown = [...lines];
  for (let from = 0; from < lines.length; from += 1) {
    if (!lines[from]?.startsWith("-")) continue;
    const removed = lengthOfBlock(lines, from, "-");
    const added = lengthOfBlock(lines, from + removed, "+");
    for (let at = 0; at < Math.min(removed, added); at += 1) {
      const [left, right] = [from + at, from + removed + at];
      [shown[left], shown[right]] = aroundChange(lines[left] ?? "", lines[right] ?? "");
    }
    from += removed + added - 1;
  }
  return shown;
}

function lengthOfBlock(lines: readonly string[], from: number, mark: string): number {
  const length = lines.slice(from).findIndex((line) => !line.startsWith(mark));
  return length < 0 ? lines.length - from : length;
}

function aroundChange(before: string, after: string): [string, string] {
  const [left, right] = [before.slice(1), after.slice(1)];
  if (Math.max(left.length, right.length) <= longLine) return [before, after];
  const shortest = Math.min(left.length, right.length);
  let start = 0;
  while (start < shortest && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shortest - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const from = Math.max(0, start - shownAround);
  const piece = (line: string): string => {
    const to = Math.min(line.length, line.length - end + shownAround);
    return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
  };
  return [`-${piece(left)}`, `+${piece(right)}`];
}
