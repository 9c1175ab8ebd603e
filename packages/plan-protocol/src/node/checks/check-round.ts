import type { CheckOptions, CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { newFindings } from "./findings-of.ts";
import { findingsIn, runCheck } from "./run-check.ts";

/** How to run checks after a change. */
export interface AfterChange {
  /** Their outcomes before the change. Empty if they did not run. */
  before: readonly CheckOutcome[];
  mayFail: boolean;
}

/**
 * Runs checks on the current files: all of them, or after a change up to the first failure that did not occur before.
 * @throws PlanProtocolError `invalid_input` for a check that cannot be started, unless it is run after a change
 */
export async function runChecks(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  { after, ...options }: CheckOptions & { after?: AfterChange | undefined },
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  const mustStart = after === undefined;
  for (const [index, check] of checks.entries()) {
    const outcome = await runCheck(parts, check, { ...options, mustStart });
    const judged = after === undefined ? outcome : comparedTo(after, index, outcome);
    outcomes.push(judged);
    if (after !== undefined && isFailed(judged)) break;
  }
  return outcomes;
}

/** True if a check failed, and not just as it did before the change. */
export function isFailed({ status }: CheckOutcome): boolean {
  return status === "failed" || status === "timed_out";
}

/**
 * Returns a check that failed before the change and so protects nothing: it timed out, was not found, or printed no
 * comparable findings.
 */
export function uselessCheck(before: readonly CheckOutcome[]): CheckOutcome | undefined {
  return before.find((outcome) => isFailed(outcome) && findingsIn(outcome) === undefined);
}

function comparedTo(
  { before, mayFail }: AfterChange,
  index: number,
  outcome: CheckOutcome,
): CheckOutcome {
  const old = before[index];
  if (!isFailed(outcome) || old === undefined || !isFailed(old)) return outcome;
  const [then, now] = [findingsIn(old), findingsIn(outcome)];
  const isCompared = then !== undefined && now !== undefined;
  const newFailures = isCompared ? newFindings(then, now).sort() : [];
  if (newFailures.length > 0) return { ...outcome, newFailures };
  return isCompared || mayFail ? { ...outcome, status: "failed_before" } : outcome;
}
