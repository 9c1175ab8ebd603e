import { PlanProtocolError } from "../../plan-protocol-error.ts";
import { quote } from "../../plan-issue.ts";
import type { CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { runCheck } from "./run-check.ts";

/** Names of the checks that fail already, before anything is changed. */
export async function failingBefore(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  options: { signal?: AbortSignal | undefined },
): Promise<ReadonlySet<number>> {
  const failing = new Set<number>();
  for (const [index, check] of checks.entries()) {
    const { status, startError } = await runCheck(parts, check, options);
    // A command that is not there would never pass, and so never count: that can't be what was meant.
    if (startError !== undefined)
      throw new PlanProtocolError(
        "invalid_input",
        `The check ${quote(check.name)} runs ${quote(check.command[0])}, which could not be started (${startError}).`,
      );
    if (status !== "passed") failing.add(index);
  }
  return failing;
}

/** How the checks go after the change; stops after the first failure that was not there before. */
export async function runChecksAfter(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  { failing, signal }: { failing: ReadonlySet<number>; signal?: AbortSignal | undefined },
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const [index, check] of checks.entries()) {
    const { startError: _startError, ...outcome } = await runCheck(parts, check, { signal });
    const isOld = outcome.status !== "passed" && failing.has(index);
    outcomes.push(isOld ? { ...outcome, status: "failed_before" } : outcome);
    if (!isOld && outcome.status !== "passed") break;
  }
  return outcomes;
}
