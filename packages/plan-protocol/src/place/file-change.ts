/** The formats of edits that are read; `json` is the plan of this package in any of its versions. */
export type EditFormat =
  | "v4a"
  | "search_replace"
  | "unified_diff"
  | "str_replace"
  | "whole_file"
  | "json";

/** One line of a change: `" "` stands in the file and stays, `"-"` goes, `"+"` is new. */
export interface ChangeLine {
  mark: " " | "-" | "+";
  text: string;
  /** Of a line that stays, with the space at its start: the mark may be missing, so that this is the file's own. */
  whole?: string | undefined;
  /** True where the diff says that the file ends here without a line end. */
  isOpen?: boolean | undefined;
}

/** One place that is changed, by its lines. */
export interface ChangeHunk {
  lines: ChangeLine[];
  /** Lines above the place from the outermost in, as `@@ class Cart` and `@@ def total(self):` name them. */
  under?: readonly string[] | undefined;
  /** Index of the first line as the header states it. */
  statedAt?: number | undefined;
}

/** What an answer says about one file, not yet placed in it. */
export type FileChange =
  | { type: "create"; path: string; content: string }
  | { type: "whole"; path: string; content: string }
  | { type: "delete"; path: string }
  | { type: "hunks"; path: string; hunks: ChangeHunk[]; movedTo?: string | undefined }
  | { type: "replace"; path: string; texts: TextChange[] }
  | { type: "insert"; path: string; afterLine: number; text: string };

/** A text that is replaced where it stands, which is once, or everywhere. */
export interface TextChange {
  before: string;
  after: string;
  isEverywhere?: boolean | undefined;
  /** True where both texts are whole lines, as in a block; else the text may stand inside a line. */
  isLines?: boolean | undefined;
  /** Text near which `before` stands. */
  anchor?: string | undefined;
  /** Other ways to read a block in which the line that divides it stands more than once. */
  others?: readonly TextChange[] | undefined;
}

/** The lines of a text, each without its end; a line end at the end of the text starts no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
