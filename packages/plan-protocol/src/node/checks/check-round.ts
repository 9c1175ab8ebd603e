import { PlanProtocolError } from "../../plan-protocol-error.ts";
import { quote } from "../../plan-issue.ts";
import type { CheckOutcome, PlanCheck } from "../../workspace/plan-workspace.ts";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { runCheck } from "./run-check.ts";

/** Checks that fail before the change, by their number, with the tests that their outputs name. */
export type FailingBefore = ReadonlyMap<number, ReadonlySet<string> | undefined>;

/** Runs all checks before anything is changed. */
export async function failingBefore(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  options: { signal?: AbortSignal | undefined },
): Promise<FailingBefore> {
  const failing = new Map<number, ReadonlySet<string> | undefined>();
  for (const [index, check] of checks.entries()) {
    const { status, startError, failingTests } = await runCheck(parts, check, options);
    // A command that is not there would never pass, and so never count: that can't be what was meant.
    if (startError !== undefined)
      throw new PlanProtocolError(
        "invalid_input",
        `The check ${quote(check.name)} runs ${quote(check.command[0])}, which could not be started (${startError}).`,
      );
    if (status !== "passed") failing.set(index, failingTests);
  }
  return failing;
}

/** How the checks go after the change; stops after the first failure that was not there before. */
export async function runChecksAfter(
  parts: WorkspaceParts,
  checks: readonly PlanCheck[],
  { failing, signal }: { failing: FailingBefore; signal?: AbortSignal | undefined },
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const [index, check] of checks.entries()) {
    const {
      startError: _startError,
      failingTests,
      ...outcome
    } = await runCheck(parts, check, { signal });
    const isOldFailure = outcome.status !== "passed" && failing.has(index);
    const newFailures = isOldFailure ? newOnes(failing.get(index), failingTests) : [];
    const isOld = isOldFailure && newFailures.length === 0;
    outcomes.push({
      ...outcome,
      ...(isOld ? { status: "failed_before" } : {}),
      ...(newFailures.length === 0 ? {} : { newFailures }),
    });
    if (!isOld && outcome.status !== "passed") break;
  }
  return outcomes;
}

/** Tests that fail only now. Unless both outputs name tests, the old failure is taken to explain the new one. */
function newOnes(
  before: ReadonlySet<string> | undefined,
  after: ReadonlySet<string> | undefined,
): string[] {
  if (before === undefined || before.size === 0 || after === undefined) return [];
  return [...after].filter((name) => !before.has(name)).sort();
}
