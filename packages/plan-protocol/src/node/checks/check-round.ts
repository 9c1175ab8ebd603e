import { PlanProtocolError } from "../../plan-protocol-error.ts";
import { quote } from "../../plan-issue.ts";
import type { CheckOptions, CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { newFindings } from "./findings-of.ts";
import { type CheckRun, runCheck } from "./run-check.ts";

/** The findings in an outcome's output, kept for comparison with a later run. */
const findingsBefore = new WeakMap<CheckOutcome, CheckRun["findings"]>();

/**
 * Runs all checks on the current files.
 * @throws PlanProtocolError `invalid_input` for a check that cannot be started
 */
export async function runChecks(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  options: CheckOptions,
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const check of checks) {
    const { startError, findings, ...outcome } = await runCheck(parts, check, options);
    // A command that does not exist never passes, so it could never cause a rollback. This must be a caller's error.
    if (startError !== undefined)
      throw new PlanProtocolError(
        "invalid_input",
        `The check ${quote(check.name)} runs ${quote(check.command[0])}, which could not be started (${startError}).`,
      );
    findingsBefore.set(outcome, findings);
    outcomes.push(outcome);
  }
  return outcomes;
}

/**
 * Returns a check that failed before the change and so protects nothing: it timed out, was not found, or printed no
 * comparable findings.
 */
export function uselessCheck(before: readonly CheckOutcome[]): CheckOutcome | undefined {
  return before.find(
    (outcome) =>
      outcome.status !== "passed" && findingsIn(outcome, findingsBefore.get(outcome)) === undefined,
  );
}

/** Runs the checks after the change. Stops at the first failure that did not occur before. */
export async function runChecksAfter(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  {
    before,
    mayFail,
    ...options
  }: CheckOptions & { before: readonly CheckOutcome[]; mayFail: boolean },
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const [index, check] of checks.entries()) {
    const run = await runCheck(parts, check, options);
    const { startError: _startError, findings, ...outcome } = run;
    const old = before[index];
    if (outcome.status === "passed" || old === undefined || old.status === "passed") {
      outcomes.push(outcome);
      if (outcome.status !== "passed") break;
      continue;
    }
    const [then, now] = [findingsIn(old, findingsBefore.get(old)), findingsIn(outcome, findings)];
    const isCompared = then !== undefined && now !== undefined;
    const newFailures = isCompared ? newFindings(then, now).sort() : [];
    if (newFailures.length > 0) outcome.newFailures = newFailures;
    const isOld = newFailures.length === 0 && (isCompared || mayFail);
    outcomes.push(isOld ? { ...outcome, status: "failed_before" } : outcome);
    if (!isOld) break;
  }
  return outcomes;
}

/** Returns a failed check's findings, or undefined if they cannot be compared with another run. */
function findingsIn(
  { status, exitCode }: CheckOutcome,
  findings: CheckRun["findings"],
): CheckRun["findings"] {
  // A shell exits with 126 or 127 if it cannot run or find a command.
  const isRun = status === "failed" && exitCode !== 126 && exitCode !== 127;
  return isRun && findings !== undefined && findings.size > 0 ? findings : undefined;
}
