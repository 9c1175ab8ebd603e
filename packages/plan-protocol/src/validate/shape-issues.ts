import { isRecord } from "@ccl/core/json";

import type { PlanIssue } from "../plan-issue.ts";

const LISTS = [
  [
    "actions",
    isAction,
    "An action is an object with a path; its texts are strings, its edits a list.",
  ],
  ["context_requests", isRequest, "A request is an object; that of a file has a path."],
] as const;

/** What keeps a plan that a program built from being looked at. */
export function shapeIssues(plan: unknown): PlanIssue[] {
  if (!isRecord(plan)) return [issue([], "A plan is an object with actions.")];
  return LISTS.flatMap(([key, isItem, message]) => {
    const list = plan[key];
    if (!Array.isArray(list)) return [issue([key], `${key} must be a list.`)];
    return list.flatMap((item, index) => (isItem(item) ? [] : [issue([key, index], message)]));
  });
}

function isAction(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { path, content = "", patch = "", base_sha256 = "", to = "", edits = [] } = value;
  const areTexts = [path, content, patch, base_sha256, to].every(isText);
  return areTexts && Array.isArray(edits) && edits.every(isEdit);
}

function isEdit(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { anchor = "", before, after } = value;
  return [anchor, before, after].every(isText);
}

function isRequest(value: unknown): boolean {
  return isRecord(value) && (value["type"] !== "read_file" || isText(value["path"]));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function issue(path: (string | number)[], message: string): PlanIssue {
  return { code: "ERR_SCHEMA_VALIDATION", path, message };
}
