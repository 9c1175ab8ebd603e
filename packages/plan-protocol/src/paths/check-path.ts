import { failure, type Result, success } from "@ccl/core";

import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import { type PlanIssue, type PlanIssueCode, quote, planIssue } from "../plan-issue.ts";
import { nameProblem } from "./name-problem.ts";
import { allowListProblem, type PathUse, type PlanPolicy } from "./path-allow-list.ts";
import { isProtectedPath } from "./protected-name.ts";

/** How a path is checked. */
export interface CheckPathOptions {
  policy?: PlanPolicy | undefined;
  limits?: Partial<Pick<PlanLimits, "maxPathLength">> | undefined;
  /** Default `write`. */
  use?: PathUse | undefined;
}

/**
 * Checks a path named by a plan. Returns it relative to the root with forward slashes, or why it is rejected:
 * `ERR_INVALID_PATH`, `ERR_PATH_TOO_LONG`, `PROTECTED_PATH` or `FORBIDDEN_PATH`. Does not check links. The workspace
 * does that.
 */
export function checkPath(path: string, options: CheckPathOptions = {}): Result<string> {
  const { policy = {}, limits, use = "write" } = options;
  const { maxPathLength } = { ...defaultPlanLimits, ...limits };
  const issues: PlanIssue[] = [];
  const add = (code: PlanIssueCode, reason: string): void => {
    issues.push(planIssue(code, `The path ${quote(path)} ${reason}.`));
  };
  if (path.length > maxPathLength)
    add("ERR_PATH_TOO_LONG", `has more than ${maxPathLength} characters`);
  const plain = plainForm(path, use);
  // A huge path is rejected for its length. Checking it further would only waste time.
  if (path.length <= Math.max(maxPathLength, 10_000)) {
    const problem = pathProblem(plain);
    if (problem !== undefined)
      add("ERR_INVALID_PATH", `${problem}. Give a path relative to the root, like "src/a.ts"`);
    if (isProtectedPath(plain))
      add("PROTECTED_PATH", "is protected: no plan may read or change it");
    const forbidden =
      policy.allowList === undefined ? undefined : allowListProblem(plain, policy.allowList, use);
    if (forbidden !== undefined) add("FORBIDDEN_PATH", forbidden);
  }
  const [first, ...others] = issues;
  return first === undefined ? success(plain) : failure(first, ...others);
}

function plainForm(path: string, use: PathUse): string {
  return use === "folder" && /[^/]\/$/.test(path) ? path.slice(0, -1) : path;
}

function pathProblem(path: string): string | undefined {
  return (
    problemAsWritten(path) ??
    (isDisguised(path) ? "hides what it means behind an encoding" : undefined)
  );
}

/** True if decoding could turn a path into a rejected one. The decoded path is never used. */
function isDisguised(path: string): boolean {
  if (/%u[0-9a-f]{4}|(?:\.|0x2e){2}0x(?:2f|5c)/i.test(path)) return true;
  let decoded: string;
  try {
    decoded = path.replace(ENCODED, (bytes) => decodeURIComponent(bytes));
  } catch {
    // Such bytes, like an overlong `%c0%af`, can only be an attempt to deceive.
    return true;
  }
  if (decoded === path) return false;
  return (
    decoded.search(ENCODED) >= 0 ||
    problemAsWritten(decoded) !== undefined ||
    isProtectedPath(decoded)
  );
}

const ENCODED = /(?:%[0-9a-f]{2})+/gi;

function problemAsWritten(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.startsWith("/")) return "is absolute";
  if (/^[a-z]:/i.test(path)) return "names a drive";
  if (path.startsWith("~")) return "begins with a home folder";
  for (const name of path.split("/")) {
    const problem = nameProblem(name);
    if (problem !== undefined) return `has ${problem}`;
  }
  return undefined;
}
