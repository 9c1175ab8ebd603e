import type { ActionKind } from "../../plan/plan.ts";
import { type PlanIssue, planIssue } from "../../plan-issue.ts";

/** A file's content and permission bits. */
export interface FileState {
  sha256: string;
  sizeBytes: number;
  mode: number;
}

/** One change to the tree. Its number in the list names what the journal keeps for it. */
export interface Step {
  change: "make_folder" | "write" | "remove" | "remove_folder";
  path: string;
  /** The action that it comes from; undefined for a folder that is created on the way to a file. */
  kind?: ActionKind | undefined;
  /** What is there before; undefined where there is nothing. Of folders only the mode counts. */
  before?: FileState | undefined;
  /** What is there afterwards. */
  after?: FileState | undefined;
}

/** Something that others changed while a transaction was at work. Never leaves the package. */
export class StepConflict extends Error {
  readonly issue: PlanIssue;

  constructor(issue: PlanIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** The conflict of a step whose path others changed. */
export function concurrentEdit({ path }: Pick<Step, "path">, message: string): StepConflict {
  return new StepConflict(planIssue("CONCURRENT_EDIT", message, [path]));
}
