import { PlanProtocolError } from "../../plan-protocol-error.ts";
import { quote } from "../../plan-issue.ts";
import type { CheckOptions, CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { newFindings } from "./findings-of.ts";
import { type CheckRun, runCheck } from "./run-check.ts";

/** What an outcome's output said is wrong, for a comparison with a later run. */
const findingsBefore = new WeakMap<CheckOutcome, CheckRun["findings"]>();

/** Runs all checks on the files as they are. @throws PlanProtocolError `invalid_input` for one that can't be started */
export async function runChecks(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  options: CheckOptions,
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const check of checks) {
    const { startError, findings, ...outcome } = await runCheck(parts, check, options);
    // A command that is not there would never pass, and so never count: that can't be what was meant.
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

/** How the checks go after the change; stops after the first failure that was not there before. */
export async function runChecksAfter(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  { before, ...options }: CheckOptions & { before: readonly CheckOutcome[] },
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const [index, check] of checks.entries()) {
    const run = await runCheck(parts, check, options);
    const { startError: _startError, findings, ...outcome } = run;
    const old = before[index];
    const isOldFailure =
      outcome.status !== "passed" && old !== undefined && old.status !== "passed";
    const newFailures = isOldFailure ? newOnes(findingsBefore.get(old), findings) : [];
    const isOld = isOldFailure && newFailures.length === 0;
    if (newFailures.length > 0) outcome.newFailures = newFailures;
    outcomes.push(isOld ? { ...outcome, status: "failed_before" } : outcome);
    if (!isOld && outcome.status !== "passed") break;
  }
  return outcomes;
}

/** What is wrong only now. Unless both outputs say what is wrong, the old failure is taken to explain the new one. */
function newOnes(before: CheckRun["findings"], after: CheckRun["findings"]): string[] {
  if (before === undefined || before.size === 0 || after === undefined) return [];
  return newFindings(before, after).sort();
}
