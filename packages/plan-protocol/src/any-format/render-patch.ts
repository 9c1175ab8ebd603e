import type { LineReplacement } from "./place-change.ts";

const CONTEXT = 3;

/** A file as its lines, each with its own end: the last may have none. */
export function splitWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A unified diff that makes the replacements, whose lines have their ends; undefined where they change nothing. */
export function renderPatch(
  file: readonly string[],
  replacements: readonly LineReplacement[],
): string | undefined {
  const changed = replacements.flatMap((one) => trimSame(file, one) ?? []);
  if (changed.length === 0) return undefined;
  const hunks: LineReplacement[][] = [];
  for (const one of changed) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && one.start - last.end <= 2 * CONTEXT) hunks.at(-1)?.push(one);
    else hunks.push([one]);
  }
  let shift = 0;
  return hunks
    .map((hunk) => {
      const { text, growth } = renderHunk(file, hunk, shift);
      shift += growth;
      return text;
    })
    .join("");
}

function trimSame(file: readonly string[], one: LineReplacement): LineReplacement | undefined {
  let { start, end } = one;
  let from = 0;
  let to = one.lines.length;
  while (start < end && from < to && file[start] === one.lines[from]) {
    start += 1;
    from += 1;
  }
  while (end > start && to > from && file[end - 1] === one.lines[to - 1]) {
    end -= 1;
    to -= 1;
  }
  return start === end && from === to
    ? undefined
    : { start, end, lines: one.lines.slice(from, to) };
}

function renderHunk(
  file: readonly string[],
  hunk: readonly LineReplacement[],
  shift: number,
): { text: string; growth: number } {
  const start = Math.max(0, (hunk[0]?.start ?? 0) - CONTEXT);
  const end = Math.min(file.length, (hunk.at(-1)?.end ?? 0) + CONTEXT);
  const body: string[] = [];
  let growth = 0;
  let from = start;
  for (const { start: at, end: to, lines } of hunk) {
    body.push(...mark(" ", file.slice(from, at)), ...mark("-", file.slice(at, to)));
    body.push(...mark("+", lines));
    growth += lines.length - (to - at);
    from = to;
  }
  body.push(...mark(" ", file.slice(from, end)));
  const oldCount = end - start;
  const newCount = oldCount + growth;
  const side = (first: number, count: number): string =>
    `${count === 0 ? first : first + 1},${count}`;
  const header = `@@ -${side(start, oldCount)} +${side(start + shift, newCount)} @@\n`;
  return { text: header + body.join(""), growth };
}

function mark(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`,
  );
}
