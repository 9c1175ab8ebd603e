import type { EditFormat, FileChange } from "../place/file-change.ts";
import type { PlanIssue } from "../plan-issue.ts";

/** Edits found in an answer. `end` is the line after them. */
export interface FoundEdits {
  end: number;
  format: EditFormat;
  changes: FileChange[];
}

/** Reads edits that begin at a line. Returns undefined if there are none, or an issue if they are unreadable. */
export type ReadAt = (lines: readonly string[], at: number) => FoundEdits | PlanIssue | undefined;
