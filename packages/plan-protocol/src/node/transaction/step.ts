import { type PlanIssue, planIssue, quote } from "../../plan-issue.ts";
import type { FileFacts } from "../file-system/read-file.ts";

/** A file's content and permission bits. */
export interface FileState {
  sha256: string;
  sizeBytes: number;
  mode: number;
}

/** Returns a file's state as it was read. */
export function fileState({ sha256, status: { sizeBytes, mode } }: FileFacts): FileState {
  return { sha256, sizeBytes, mode };
}

/** A change to the tree. */
export interface Step {
  /** The name of the step's files in the journal: its index in the list. */
  key: string;
  change: "make_folder" | "write" | "remove" | "remove_folder";
  path: string;
  /** State before the step. Undefined if nothing exists. For folders only the mode counts. */
  before?: FileState | undefined;
  /** State after the step. */
  after?: FileState | undefined;
}

/** Another process changed something during the transaction. Never leaves this package. */
export class StepConflict extends Error {
  readonly issue: PlanIssue;

  constructor(issue: PlanIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Returns the conflict of a step whose path another process changed. */
export function concurrentEdit({ path }: Step, message: string): StepConflict {
  return new StepConflict(planIssue("CONCURRENT_EDIT", message, [path]));
}

/** Returns the conflict for a path that no longer has the state that the plan is based on. */
export function changedMeanwhile(step: Step): StepConflict {
  return concurrentEdit(
    step,
    `${quote(step.path)} was changed by another program in the meantime. That change stays. Read the file again.`,
  );
}
