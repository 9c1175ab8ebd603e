import { isRecord } from "@ccl/core/json";

import type { PlanIssue } from "../plan-issue.ts";

type Place = (string | number)[];

/** What keeps a plan that was built by hand, or came from elsewhere than `parsePlan`, from being looked at. */
export function shapeIssues(plan: unknown): PlanIssue[] {
  if (!isRecord(plan)) return [issue([], "A plan is an object with actions.")];
  return [
    ...listIssues(plan, "actions", actionIssues),
    ...listIssues(plan, "context_requests", requestIssues),
    ...textIssues(plan, ["summary"], []),
  ];
}

function listIssues(
  plan: Readonly<Record<string, unknown>>,
  key: string,
  check: (item: Readonly<Record<string, unknown>>, at: Place) => PlanIssue[],
): PlanIssue[] {
  const list = plan[key];
  if (!Array.isArray(list)) return [issue([key], `${key} must be a list.`)];
  return list.flatMap((item: unknown, index) => {
    const at = [key, index];
    return isRecord(item) ? check(item, at) : [issue(at, "This must be an object.")];
  });
}

function actionIssues(action: Readonly<Record<string, unknown>>, at: Place): PlanIssue[] {
  const { path, edits } = action;
  const issues = textIssues(action, ["content", "patch", "base_sha256", "to"], at);
  if (typeof path !== "string") issues.push(issue([...at, "path"], "An action needs a path."));
  const isEdit = (edit: unknown): boolean =>
    isRecord(edit) &&
    typeof edit["before"] === "string" &&
    typeof edit["after"] === "string" &&
    textIssues(edit, ["anchor"], []).length === 0;
  if (edits !== undefined && !(Array.isArray(edits) && edits.every(isEdit)))
    issues.push(issue([...at, "edits"], "Edits are a list of objects with before and after."));
  return issues;
}

function requestIssues(request: Readonly<Record<string, unknown>>, at: Place): PlanIssue[] {
  const isRead = request["type"] === "read_file" && typeof request["path"] !== "string";
  return isRead ? [issue([...at, "path"], "read_file needs a path.")] : [];
}

function textIssues(
  fields: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  at: Place,
): PlanIssue[] {
  return keys
    .filter((key) => fields[key] !== undefined && typeof fields[key] !== "string")
    .map((key) => issue([...at, key], `${key} must be a text.`));
}

function issue(path: Place, message: string): PlanIssue {
  return { code: "ERR_SCHEMA_VALIDATION", path, message };
}
