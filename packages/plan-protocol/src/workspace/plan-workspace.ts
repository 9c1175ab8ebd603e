import type { Result } from "@ccl/core";

import type { ContextBlock } from "../context/context-block.ts";
import type { ContextRequest } from "../plan/plan.ts";
import type { ReadSet, ValidPlan } from "../validate/valid-plan.ts";

/** Results of context requests. If a request cannot be answered, its block says so, and nothing is thrown. */
export interface FulfilledContext {
  /** One for each request, in order. */
  blocks: ContextBlock[];
  /** Requests that could not be answered, with the reason. */
  issues: { request: ContextRequest; code: string; message: string }[];
}

/** Something in a change that a person should check. */
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

/** One action's effect on one path. */
export interface PreviewedChange {
  kind: ValidPlan["actions"][number]["kind"];
  path: string;
  /** The path on disk, relative to the root. For MOVE_FILE, the new path. */
  target: string;
  /** Unified diff. Empty for folders. */
  diff: string;
  addedLines: number;
  removedLines: number;
  risks: RiskMark[];
}

/** A plan's effect on the current files. */
export interface PlanPreview {
  /** SHA-256 over the plan's canonical JSON and the preview's base files. `confirm` must repeat it. */
  planHash: string;
  changes: PreviewedChange[];
  /** The plan's differences from the literal answer, as sentences. */
  remarks: string[];
  /** True if something is deleted. `apply` then needs `confirm: planHash`. */
  needsConfirmation: boolean;
}

/** A command that must pass after the change if it passed before. */
export interface PlanCheck {
  name: string;
  /** Program and arguments, run in the root without a shell. */
  command: [string, ...string[]];
  /** Default: 120,000. */
  timeoutMs?: number | undefined;
}

/**
 * The result of a check. A check that failed before the change may fail after it, as `failed_before`, if both outputs
 * have recognizable findings and none is new. Recognizes failed tests (TAP, pytest, go test, cargo test, vitest, jest)
 * and compiler and linter findings (`path:line: text`, `path(line,column): text`, rustc, eslint, biome, ruff, oxlint).
 */
export interface CheckOutcome {
  name: string;
  status: "passed" | "failed" | "timed_out" | "failed_before";
  exitCode?: number | undefined;
  /** New tests and findings since the change, if the check also failed before. */
  newFailures?: string[] | undefined;
  /** Both output streams, masked and shortened. */
  output: string;
  durationMs: number;
}

/** Options of a potentially slow call. */
export interface Abortable {
  /** Aborting rejects the call with `aborted`. */
  signal?: AbortSignal | undefined;
}

/** How to run checks. */
export interface CheckOptions extends Abortable {
  /** Shortens outputs in outcomes and issues. Default: head and tail, 8,000 characters. */
  shortenOutput?: ((output: string) => string) | undefined;
}

/** A committed transaction. */
export interface AppliedPlan {
  transactionId: string;
  changes: {
    kind: ValidPlan["actions"][number]["kind"];
    path: string;
    sha256Before?: string | undefined;
    sha256After?: string | undefined;
  }[];
  checks: CheckOutcome[];
  /** The plan's files that a check rewrote after the change, as a formatter does. */
  rewrittenPaths: string[];
}

/** Options of `apply`. */
export interface ApplyOptions extends CheckOptions {
  checks?: PlanCheck[] | undefined;
  /** Outcomes of `check` for the same checks on the current files. Avoids running them again before the change. */
  before?: readonly CheckOutcome[] | undefined;
  /** Skips the checks before the change. Any failed check then causes a rollback, even if it failed before. */
  mustPass?: boolean | undefined;
  /**
   * Applies even if a check failed before the change without comparable findings. By default, the result is
   * `AUTO_CHECK_FAILED_BEFORE`, and nothing is written.
   */
  mayFail?: boolean | undefined;
  /** The preview's `planHash`. Required if something is deleted. */
  confirm?: string | undefined;
}

/** The files that a plan is based on and applied to. */
export interface PlanWorkspace {
  /** Files read so far. Patches and edits are checked against them. */
  readonly readSet: ReadSet;
  read(requests: readonly ContextRequest[], options?: Abortable): Promise<FulfilledContext>;
  preview(plan: ValidPlan, options?: Abortable): Promise<Result<PlanPreview>>;
  apply(plan: ValidPlan, options?: ApplyOptions): Promise<Result<AppliedPlan>>;
}
