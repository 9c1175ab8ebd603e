import { failure, type Result, success } from "@ccl/core";

import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import { type PlanIssue, quote } from "../plan-issue.ts";
import type { PlanIssueCode } from "../plan-issue-code.ts";
import { decodePercent } from "./decode-percent.ts";
import { nameProblem, type NameRules } from "./name-problem.ts";
import { allowListProblem } from "./path-allow-list.ts";
import type { PathPolicy } from "./path-policy.ts";
import type { PathUse } from "./path-allow-list.ts";
import { isProtectedPath } from "./protected-name.ts";

/** How a path is checked. */
export interface CheckPathOptions {
  policy?: PathPolicy | undefined;
  limits?: Partial<Pick<PlanLimits, "maxPathLength">> | undefined;
  /** Default `write`. */
  use?: PathUse | undefined;
}

/**
 * The path that a plan names, relative to the root and with forward slashes, or why it is refused: `ERR_INVALID_PATH`,
 * `ERR_PATH_TOO_LONG`, `PROTECTED_PATH` or `FORBIDDEN_PATH`. Says nothing about links: those are the workspace's business.
 */
export function checkPath(path: string, options: CheckPathOptions = {}): Result<string> {
  const { policy = {}, limits, use = "write" } = options;
  const { maxPathLength } = { ...defaultPlanLimits, ...limits };
  const rules: NameRules = { portable: policy.portable ?? true, system: policy.system ?? "posix" };
  const issues: PlanIssue[] = [];
  const add = (code: PlanIssueCode, reason: string): void => {
    issues.push({ code, path: [], message: `The path ${quote(path)} ${reason}.` });
  };
  if (path.length > maxPathLength)
    add("ERR_PATH_TOO_LONG", `has more than ${maxPathLength} characters`);
  const plain = plainForm(path, policy, use);
  // A path of megabytes is refused for its length; reading it further would only take time.
  if (path.length <= Math.max(maxPathLength, 10_000)) {
    const problem = pathProblem(plain, rules);
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

function plainForm(path: string, policy: PathPolicy, use: PathUse): string {
  const started = policy.allowsLeadingDot === true && path.startsWith("./") ? path.slice(2) : path;
  return use === "folder" && /[^/]\/$/.test(started) ? started.slice(0, -1) : started;
}

function pathProblem(path: string, rules: NameRules): string | undefined {
  const written = problemAsWritten(path, rules);
  if (written !== undefined || !rules.portable || !/%|0x/i.test(path)) return written;
  const decoded = decodePercent(path);
  if (decoded === path) return undefined;
  const isHarmless =
    decoded !== undefined &&
    !decoded.startsWith("%") &&
    problemAsWritten(decoded, rules) === undefined;
  return isHarmless && !isProtectedPath(decoded)
    ? undefined
    : "hides what it means behind an encoding";
}

function problemAsWritten(path: string, rules: NameRules): string | undefined {
  if (path === "") return "is empty";
  if (path.startsWith("/")) return "is absolute";
  if (/^[a-z]:/i.test(path) && (rules.portable || rules.system === "win32")) return "names a drive";
  if (path.startsWith("~")) return "begins with a home folder";
  for (const name of path.split("/")) {
    const problem = nameProblem(name, rules);
    if (problem !== undefined) return `has ${problem}`;
  }
  return undefined;
}
