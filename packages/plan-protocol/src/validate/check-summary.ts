import type { Issue } from "@ccl/core";

import type { Plan } from "../plan/plan.ts";
import { type PlanIssueCode, planIssue } from "../plan-issue.ts";
import type { PlanMode } from "./valid-plan.ts";

/** Prefix of a summary that says no changes are needed. */
export const noChangesMarker = "NO_CHANGES:";

/**
 * Checks that the summary and actions fit the mode, and returns the summary. In apply mode, a missing summary is
 * generated.
 */
export function checkSummary(
  { actions, summary = "" }: Plan,
  mode: PlanMode,
  issues: Issue[],
): string {
  const add = (code: PlanIssueCode, key: string, message: string): void => {
    issues.push(planIssue(code, message, [key]));
  };
  const isMarked = summary.startsWith(noChangesMarker);
  const isBlank =
    summary.trim() === "" || (isMarked && summary.slice(noChangesMarker.length).trim() === "");
  if (mode === "plan") {
    if (actions.length > 0)
      add(
        "ERR_PLAN_NOT_EMPTY",
        "actions",
        "In plan mode, actions must be empty. List the steps in the summary.",
      );
    if (isBlank)
      add(
        "ERR_SUMMARY_REQUIRED",
        "summary",
        "In plan mode, give a summary: diagnosis, steps, how to check.",
      );
    return summary;
  }
  if (actions.length > 0) {
    if (isMarked)
      add(
        "ERR_NO_CHANGES_MARKER",
        "summary",
        `The summary says ${noChangesMarker} but there are actions.`,
      );
    return isBlank ? describeActions(actions) : summary;
  }
  if (summary.trim() === "")
    add(
      "ERR_APPLY_EMPTY_ACTIONS",
      "actions",
      "In apply mode, give actions, or a summary that says why there are none.",
    );
  else if (!isMarked)
    add(
      "ERR_NO_CHANGES_MARKER",
      "summary",
      `Without actions the summary must begin with ${noChangesMarker}`,
    );
  if (isBlank)
    add(
      "ERR_SUMMARY_REQUIRED",
      "summary",
      `After ${noChangesMarker} the summary says why nothing needs to change.`,
    );
  return summary;
}

const VERBS = [
  ["CREATE_DIR", "create folder"],
  ["CREATE_FILE", "create"],
  ["UPDATE_FILE", "replace"],
  ["PATCH_FILE", "patch"],
  ["EDIT_FILE", "edit"],
  ["MOVE_FILE", "move"],
  ["DELETE_FILE", "delete"],
  ["DELETE_DIR", "delete folder"],
] as const;

function describeActions(actions: Plan["actions"]): string {
  const parts = VERBS.flatMap(([kind, verb]) => {
    const paths = actions.filter((action) => action.kind === kind).map((action) => action.path);
    if (paths.length === 0) return [];
    const named = paths.slice(0, 3).join(", ");
    return [`${verb} ${named}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}`];
  });
  return parts.join("; ");
}
