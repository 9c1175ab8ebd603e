import { planVersions } from "../plan/action-kinds.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue-code.ts";

/**
 * What a session does about an issue: `repair` sends the answer back, `repair_then_descend` does so and then asks in the
 * version below, `reread` reads the file again first, `stop` gives up.
 */
export type Recovery = "repair" | "repair_then_descend" | "reread" | "stop";

/** How often one proposal is sent back: once for its form, once for its content. */
export const maxRepairs = 2;

const DESCENDING: ReadonlySet<PlanIssueCode> = new Set<PlanIssueCode>([
  "ERR_PATCH_NOT_UNIFIED",
  "ERR_PATCH_APPLY_FAILED",
  "ERR_EDIT_NO_EDITS",
  "ERR_EDIT_ANCHOR_NOT_FOUND",
  "ERR_EDIT_BEFORE_NOT_FOUND",
  "ERR_EDIT_AMBIGUOUS",
  "ERR_EDIT_APPLY_FAILED",
]);

/** What a session does about an issue with this code. */
export function recoveryFrom(code: PlanIssueCode): Recovery {
  if (code === "PROTECTED_PATH" || code === "FORBIDDEN_PATH") return "stop";
  if (code === "ERR_BASE_MISMATCH") return "reread";
  return DESCENDING.has(code) ? "repair_then_descend" : "repair";
}

/** The version to ask for after one has failed; undefined below the first. */
export function versionBelow(version: PlanVersion): PlanVersion | undefined {
  return planVersions[planVersions.indexOf(version) - 1];
}
