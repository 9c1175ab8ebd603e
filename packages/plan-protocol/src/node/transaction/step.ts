import { type PlanIssue, planIssue } from "../../plan-issue.ts";

/** A file's content and permission bits. */
export interface FileState {
  sha256: string;
  sizeBytes: number;
  mode: number;
}

/** A change to the tree. The journal names the step's files by its index in the list. */
export interface Step {
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
export function concurrentEdit({ path }: Pick<Step, "path">, message: string): StepConflict {
  return new StepConflict(planIssue("CONCURRENT_EDIT", message, [path]));
}
