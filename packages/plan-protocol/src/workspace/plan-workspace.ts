import type { Result } from "@ccl/core";

import type { ContextBlock } from "../context/context-block.ts";
import type { ContextRequest } from "../plan/plan.ts";
import type { ReadSet, ValidPlan } from "../validate/valid-plan.ts";

/** A request with what it gave; a request that can't be answered gives a block that says so, never an error. */
export interface FulfilledContext {
  blocks: ContextBlock[];
  /** What could not be read, and why. */
  issues: { request: ContextRequest; code: string; message: string }[];
}

/** Something in a change that a person should look at. */
export interface RiskMark {
  kind:
    | "ci_workflow"
    | "git_hook"
    | "package_script"
    | "executable"
    | "deletes"
    | "large_change"
    | "new_dependency";
  message: string;
}

/** What one action would do to one path. */
export interface PreviewedChange {
  kind: ValidPlan["actions"][number]["kind"];
  path: string;
  /** Where the path leads on disk, relative to the root; of MOVE_FILE the new path. */
  target: string;
  /** Unified diff; empty for folders. */
  diff: string;
  addedLines: number;
  removedLines: number;
  risks: RiskMark[];
}

/** A plan against the files as they are now. */
export interface PlanPreview {
  /** SHA-256 of the plan's canonical JSON and of the bases that it was previewed on; `confirm` has to repeat it. */
  planHash: string;
  changes: PreviewedChange[];
  /** True where something is deleted, so that `apply` needs `confirm: planHash`. */
  needsConfirmation: boolean;
}

/** A command that has to pass after the change, as it did before. */
export interface PlanCheck {
  name: string;
  /** Program and arguments; no shell. */
  command: [string, ...string[]];
  /** Relative to the root; default the root. */
  directory?: string | undefined;
  /** Default 120,000. */
  timeoutMs?: number | undefined;
  env?: Record<string, string> | undefined;
}

/**
 * How a check went. One that failed before the change may fail after it, as `failed_before`, where both outputs say what is
 * wrong and there is no more of it. Read are failed tests (TAP, pytest, go test, cargo test, vitest, jest)
 * and findings of compilers and linters (`path:line: text`, `path(line,column): text`, rustc, eslint, biome, ruff, oxlint).
 */
export interface CheckOutcome {
  name: string;
  status: "passed" | "failed" | "timed_out" | "failed_before";
  exitCode?: number | undefined;
  /** Tests and findings that are there only since the change, in a check that failed before as well. */
  newFailures?: string[] | undefined;
  /** Of both streams, masked and shortened. */
  output: string;
  durationMs: number;
}

/** What a call that takes its time may be given. */
export interface Abortable {
  /** The call then throws `aborted`. */
  signal?: AbortSignal | undefined;
}

/** How checks are run. */
export interface CheckOptions extends Abortable {
  /** What outcomes and issues show of an output. Default: head and tail, 8,000 characters. */
  shortenOutput?: ((output: string) => string) | undefined;
}

/** A transaction that went through. */
export interface AppliedPlan {
  transactionId: string;
  changes: {
    kind: ValidPlan["actions"][number]["kind"];
    path: string;
    sha256Before?: string | undefined;
    sha256After?: string | undefined;
  }[];
  checks: CheckOutcome[];
  /** Files of the plan that are not as it left them: a check rewrote them, as a formatter does. */
  rewrittenPaths: string[];
}

/** Options of an apply. */
export interface ApplyOptions extends CheckOptions {
  checks?: PlanCheck[] | undefined;
  /** What `check` gave for the same checks on the files as they are, so that they need not run on them again. */
  before?: readonly CheckOutcome[] | undefined;
  /** Does not run the checks before: rolls back as well where one fails that failed before. */
  mustPass?: boolean | undefined;
  /**
   * Applies also where a check failed before without saying what is wrong, which lets nothing be compared. By default that is
   * `AUTO_CHECK_FAILED_BEFORE`, and nothing is written.
   */
  mayFail?: boolean | undefined;
  /** The `planHash` of a preview; needed where something is deleted. */
  confirm?: string | undefined;
}

/** The files that a plan is based on and applied to. */
export interface PlanWorkspace {
  /** Files that were read so far; what patches and edits are checked against. */
  readonly readSet: ReadSet;
  read(requests: readonly ContextRequest[], options?: Abortable): Promise<FulfilledContext>;
  preview(plan: ValidPlan, options?: Abortable): Promise<Result<PlanPreview>>;
  apply(plan: ValidPlan, options?: ApplyOptions): Promise<Result<AppliedPlan>>;
}
