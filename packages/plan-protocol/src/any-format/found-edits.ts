import type { EditFormat, FileChange } from "../place/file-change.ts";
import type { PlanIssue } from "../plan-issue.ts";

/** Edits that were found in an answer. `end` is the line after them. */
export interface FoundEdits {
  end: number;
  format: EditFormat;
  changes: FileChange[];
}

/** Reads the edits that begin at a line. Undefined if none do, an issue if they cannot be read. */
export type ReadAt = (lines: readonly string[], at: number) => FoundEdits | PlanIssue | undefined;
