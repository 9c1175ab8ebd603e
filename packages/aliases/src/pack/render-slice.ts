import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";

/** A file, and which lines to show. */
interface Slice {
  path: string;
  lines: readonly string[];
  /** `line` is 0-based. */
  isShown: (line: number) => boolean;
  lineNumbers?: boolean | undefined;
}

/** Minimum length of a gap. Shorter gaps are shown, because a mark would cost more. */
const MIN_GAP_LINES = 3;
const MAX_GAP_NAMES = 4;

/**
 * Returns the shown lines unchanged, byte for byte. Replaces each gap with a line that names the
 * declarations in it: `... +33 lines, 12-44: parse, render`.
 */
export function renderSlice(slice: Slice): string {
  const { lines, lineNumbers } = slice;
  const width = String(lines.length).length;
  const written: string[] = [];
  for (let at = 0; at < lines.length;) {
    const end = endOfGap(slice, at);
    if (end - at >= MIN_GAP_LINES) {
      written.push(gapMark(slice, at, end));
      at = end;
      continue;
    }
    const line = lines[at] ?? "";
    written.push(lineNumbers === true ? `${String(at + 1).padStart(width)} ${line}` : line);
    at += 1;
  }
  return written.join("\n");
}

function endOfGap({ lines, isShown }: Slice, start: number): number {
  let end = start;
  while (end < lines.length && !isShown(end)) end += 1;
  return end;
}

function gapMark({ path, lines }: Slice, start: number, end: number): string {
  const names = scanDeclarations(lines.slice(start, end).join("\n"), outlineLanguage(path));
  const mark = `... +${end - start} lines, ${start + 1}-${end}`;
  return names.length === 0 ? mark : `${mark}: ${listNames(names, MAX_GAP_NAMES)}`;
}

/** Joins up to `max` names and counts the rest: `a, b, +3`. */
export function listNames(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).map((name) => name.slice(0, 60));
  return [...shown, ...(names.length > max ? [`+${names.length - max}`] : [])].join(", ");
}
