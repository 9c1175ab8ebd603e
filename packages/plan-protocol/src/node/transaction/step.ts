import { type PlanIssue, planIssue } from "../../plan-issue.ts";

/** A file's content and permission bits. */
export interface FileState {
  sha256: string;
  sizeBytes: number;
  mode: number;
}

/** One change to the tree. The journal names the step's files by its number in the list. */
export interface Step {
  change: "make_folder" | "write" | "remove" | "remove_folder";
  path: string;
  /** The state before. Undefined if there is nothing. Of a folder only the mode counts. */
  before?: FileState | undefined;
  /** The state afterwards. */
  after?: FileState | undefined;
}

/** Another process changed something during the transaction. Never leaves the package. */
export class StepConflict extends Error {
  readonly issue: PlanIssue;

  constructor(issue: PlanIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** The conflict of a step at whose path another process changed something. */
export function concurrentEdit({ path }: Pick<Step, "path">, message: string): StepConflict {
  return new StepConflict(planIssue("CONCURRENT_EDIT", message, [path]));
}
