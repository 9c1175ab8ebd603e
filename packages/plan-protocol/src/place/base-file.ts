import { linesOf } from "./file-change.ts";

const MARK = "\ufeff";

/** A file as edits see it: every line ends in LF, including the last one, and there is no byte order mark. */
export interface BaseFile {
  text: string;
  lines: string[];
  /** Start offset of each line in the text, then the end of the text. */
  starts: number[];
  /** Each line's original line ending. */
  ends: string[];
  hasMark: boolean;
  /** True if the last line has no line ending. */
  isOpen: boolean;
}

/** A range of the text to replace, as offsets. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
  /** True if the file ends without a line ending. Undefined if the change does not say. */
  isOpen?: boolean | undefined;
}

/** Normalizes a file's text to the form edits use. */
export function baseFileOf(own: string): BaseFile {
  const hasMark = own.startsWith(MARK);
  const plain = hasMark ? own.slice(1) : own;
  const ends: string[] = plain.match(/\r?\n/g) ?? [];
  const isOpen = plain !== "" && !plain.endsWith("\n");
  if (isOpen) ends.push(ends.at(-1) ?? "\n");
  const lines = linesOf(plain);
  const starts = [0];
  for (const [index, line] of lines.entries()) starts.push((starts[index] ?? 0) + line.length + 1);
  const text = lines.map((line) => `${line}\n`).join("");
  return { text, lines, starts, ends, hasMark, isOpen };
}

/** Applies replacements to the original text. New lines get the line ending of the line above. */
export function rewrite(base: BaseFile, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let line = 0;
  let from = 0;
  let isOpen = base.isOpen;
  const keep = (to: number): void => {
    const kept = base.text.slice(from, to);
    parts.push(kept.replaceAll("\n", () => base.ends[line++] ?? "\n"));
    from = to;
  };
  for (const { start, end, text, isOpen: isOpened } of replacements) {
    keep(start);
    const isInside = start > 0 && base.text.charAt(start - 1) !== "\n";
    const lineEnd = base.ends[Math.max(0, isInside ? line : line - 1)] ?? "\n";
    parts.push(text.replaceAll("\n", lineEnd));
    line += base.text.slice(start, end).split("\n").length - 1;
    from = end;
    isOpen = isOpened ?? isOpen;
  }
  keep(base.text.length);
  const text = parts.join("");
  return (base.hasMark ? MARK : "") + (isOpen ? text.replace(/\r?\n$/, "") : text);
}
