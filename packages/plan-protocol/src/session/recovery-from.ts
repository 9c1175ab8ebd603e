import type { Issue } from "@ccl/core";

import { planVersions } from "../plan/action-kinds.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue.ts";

/**
 * What a session does about an issue: `repair` sends the answer back, `repair_then_descend` does so and then asks in the
 * version below, `reread` reads the file again first, `stop` gives up.
 */
export type Recovery = "repair" | "repair_then_descend" | "reread" | "stop";

/** All that a model is not simply asked to repair. */
const RECOVERIES: ReadonlyMap<string, Recovery> = new Map<PlanIssueCode, Recovery>([
  ["ERR_PATCH_NOT_UNIFIED", "repair_then_descend"],
  ["ERR_PATCH_APPLY_FAILED", "repair_then_descend"],
  ["ERR_EDIT_NO_EDITS", "repair_then_descend"],
  ["ERR_EDIT_ANCHOR_NOT_FOUND", "repair_then_descend"],
  ["ERR_EDIT_BEFORE_NOT_FOUND", "repair_then_descend"],
  ["ERR_EDIT_AMBIGUOUS", "repair_then_descend"],
  ["ERR_EDIT_APPLY_FAILED", "repair_then_descend"],
  ["ERR_BASE_MISMATCH", "reread"],
  ["CONCURRENT_EDIT", "reread"],
  ["PROTECTED_PATH", "stop"],
  ["FORBIDDEN_PATH", "stop"],
  ["ERR_CONTEXT_ROUNDS", "stop"],
  ["CONFIRM_REQUIRED", "stop"],
  ["SNAPSHOT_FAILED", "stop"],
  ["APPLY_FAILED_ROLLED_BACK", "stop"],
  ["AUTO_CHECK_FAILED_BEFORE", "stop"],
  ["AUTO_CHECK_FAILED_ROLLED_BACK", "stop"],
  ["RECOVERY_REQUIRED", "stop"],
  ["ERR_IO", "stop"],
]);

/** What a session does about an issue; a code that is not known is worth one repair. */
export function recoveryFrom({ code }: Pick<Issue, "code">): Recovery {
  return RECOVERIES.get(code) ?? "repair";
}

/** The version to ask for after one has failed; undefined below the first. */
export function versionBelow(version: PlanVersion): PlanVersion | undefined {
  return planVersions[planVersions.indexOf(version) - 1];
}
