import type { EditFormat, FileChange } from "../place/file-change.ts";
import type { PlanIssue } from "../plan-issue.ts";

/** Edits that stand in an answer, up to but not including a line. */
export interface FoundEdits {
  end: number;
  format: EditFormat;
  changes: FileChange[];
}

/** Reads the edits that begin in a line, if any do; an issue where they can't be read. */
export type ReadAt = (lines: readonly string[], at: number) => FoundEdits | PlanIssue | undefined;
