import type { Issue } from "@ccl/core";

import { planVersions } from "../plan/action-kinds.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue.ts";

/**
 * How a session reacts to an issue. `repair` returns the answer to the model. `repair_then_descend` does so and then
 * requests the version below. `reread` reads the file again first. `stop` gives up.
 */
export type Recovery = "repair" | "repair_then_descend" | "reread" | "stop";

const REREAD: ReadonlySet<string> = new Set<PlanIssueCode>([
  "ERR_BASE_MISMATCH",
  "CONCURRENT_EDIT",
]);
/** Issues that another answer of the model cannot fix. */
const STOP: ReadonlySet<string> = new Set<PlanIssueCode>([
  "PROTECTED_PATH",
  "FORBIDDEN_PATH",
  "ERR_CONTEXT_ROUNDS",
  "CONFIRM_REQUIRED",
  "SNAPSHOT_FAILED",
  "APPLY_FAILED_ROLLED_BACK",
  "AUTO_CHECK_FAILED_BEFORE",
  "AUTO_CHECK_FAILED_ROLLED_BACK",
  "RECOVERY_REQUIRED",
  "ERR_IO",
]);

/** How a session reacts to an issue. An unknown code gets one repair. */
export function recoveryFrom({ code }: Pick<Issue, "code">): Recovery {
  if (STOP.has(code)) return "stop";
  if (REREAD.has(code)) return "reread";
  return /^ERR_(?:EDIT_|PATCH_(?:NOT|APPLY))/.test(code) ? "repair_then_descend" : "repair";
}

/** The version to request after one has failed. Undefined below the first. */
export function versionBelow(version: PlanVersion): PlanVersion | undefined {
  return planVersions[planVersions.indexOf(version) - 1];
}
