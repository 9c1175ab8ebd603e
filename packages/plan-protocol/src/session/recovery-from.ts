import type { Issue } from "@ccl/core";

import { planVersions } from "../plan/action-kinds.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue.ts";

/**
 * How a session reacts to an issue. `repair` sends the answer back to the model. `repair_then_descend` does that, then
 * requests the next lower version. `reread` rereads the file first. `stop` gives up.
 */
export type Recovery = "repair" | "repair_then_descend" | "reread" | "stop";

const REREAD: ReadonlySet<string> = new Set<PlanIssueCode>([
  "ERR_BASE_MISMATCH",
  "CONCURRENT_EDIT",
]);
/** Issues that another model answer cannot fix. */
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

/** Returns how a session reacts to an issue. Unknown codes get one repair. */
export function recoveryFrom({ code }: Pick<Issue, "code">): Recovery {
  if (STOP.has(code)) return "stop";
  if (REREAD.has(code)) return "reread";
  return /^ERR_(?:EDIT_|PATCH_(?:NOT|APPLY))/.test(code) ? "repair_then_descend" : "repair";
}

/** Returns the version to request after one fails. Undefined below the first. */
export function versionBelow(version: PlanVersion): PlanVersion | undefined {
  return planVersions[planVersions.indexOf(version) - 1];
}
