import type { Issue, Result } from "@ccl/core";

import { formatCount } from "../output/text.ts";
import { CliError, type CliErrorCode } from "../cli-error.ts";

/** Error codes for issues that determine the error of the whole command. Other issues mean that the plan is invalid. */
const CODES: ReadonlyMap<string, CliErrorCode> = new Map<string, CliErrorCode>([
  ["CONFIRM_REQUIRED", "confirmation_required"],
  ["AUTO_CHECK_FAILED_BEFORE", "checks_failed"],
  ["AUTO_CHECK_FAILED_ROLLED_BACK", "checks_failed"],
  ["APPLY_FAILED_ROLLED_BACK", "apply_failed"],
  ["SNAPSHOT_FAILED", "apply_failed"],
  ["ERR_IO", "apply_failed"],
  ["CONCURRENT_EDIT", "plan_conflict"],
  ["ERR_BASE_MISMATCH", "plan_conflict"],
  ["RECOVERY_REQUIRED", "plan_conflict"],
]);

/** Maximum number of lines shown of a long list. `--json` has all. */
const MAX_LINES = 12;

/** Returns the value of a step of a plan that succeeded. @throws CliError with the issues of the plan */
export function requireDone<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw planFailure(result.issues);
}

/** Creates an error from the issues of a plan, one per line. */
export function planFailure(given: readonly Issue[]): CliError {
  const issues = given.map((issue) => {
    if (issue.code !== "AUTO_CHECK_FAILED_BEFORE") return issue;
    const [summary = "", ...output] = issue.message.split("\n");
    // The flags of the library's options.
    const message = summary
      .replace(/\bmustPass\b/g, "--check-must-pass")
      .replace(/\bmayFail\b/g, "--check-may-fail");
    return { ...issue, message: [message, ...output].join("\n") };
  });
  const code =
    issues.map((issue) => CODES.get(issue.code)).find((known) => known !== undefined) ??
    "plan_refused";
  const lines = issues.map(({ code: issueCode, path, message }) => {
    return `${issueCode}${path.length === 0 ? "" : ` at /${path.join("/")}`}: ${message}`;
  });
  const shown = lines.slice(0, MAX_LINES);
  const hidden = lines.length - shown.length;
  if (hidden > 0) shown.push(`and ${formatCount(hidden, "further issue")}`);
  return new CliError(code, shown.join("\n"), { details: { issues } });
}
