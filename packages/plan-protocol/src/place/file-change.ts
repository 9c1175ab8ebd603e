/** The edit formats that can be read. `json` is this package's plan, any version. */
export type EditFormat =
  | "v4a"
  | "search_replace"
  | "unified_diff"
  | "str_replace"
  | "whole_file"
  | "json";

/** One line of a change. `" "`: in the file and stays. `"-"`: removed. `"+"`: added. */
export interface ChangeLine {
  mark: " " | "-" | "+";
  text: string;
  /** A line that stays, with its leading space. If the marker is missing, that space belongs to the file's line. */
  whole?: string | undefined;
  /** True if the diff says that the file ends here without a line ending. */
  isOpen?: boolean | undefined;
}

/** A change's lines at one place. */
export interface ChangeHunk {
  lines: ChangeLine[];
  /** Lines above the hunk, outermost first, as in `@@ class Cart` and `@@ def total(self):`. */
  under?: readonly string[] | undefined;
  /** Index of the first line, according to the header. */
  statedAt?: number | undefined;
}

/**
 * A change to one file, before it is placed there. `isWhole`: the answer says that this is the whole file, so it cannot
 * be a part.
 */
export type FileChange =
  | { type: "create"; path: string; content: string }
  | { type: "whole"; path: string; content: string; isWhole?: boolean | undefined }
  | { type: "delete"; path: string }
  | { type: "hunks"; path: string; hunks: ChangeHunk[]; movedTo?: string | undefined }
  | { type: "replace"; path: string; texts: TextChange[] }
  | { type: "insert"; path: string; afterLine: number; text: string };

/** Replaces a string that occurs once, or all its occurrences. */
export interface TextChange {
  before: string;
  after: string;
  isEverywhere?: boolean | undefined;
  /** True if both texts are whole lines, as in a block. Otherwise they may be parts of a line. */
  isLines?: boolean | undefined;
  /** Index of its first line, according to the block. */
  statedAt?: number | undefined;
  /** Text close to `before`. */
  anchor?: string | undefined;
  /** Other ways to read a block with several `=======` lines. */
  others?: readonly TextChange[] | undefined;
}

/** The line between a block's old and new lines. */
export const DIVIDER: RegExp = /^={5,9}\s*$/m;

/** Splits text into lines without line endings. A final line ending does not start another line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
