import type { Issue } from "@ccl/core";

import { planVersions } from "../plan/action-kinds.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanIssueCode } from "../plan-issue.ts";

/**
 * What a session does about an issue: `repair` sends the answer back, `repair_then_descend` does so and then asks in the
 * version below, `reread` reads the file again first, `stop` gives up.
 */
export type Recovery = "repair" | "repair_then_descend" | "reread" | "stop";

const REREAD: ReadonlySet<string> = new Set<PlanIssueCode>([
  "ERR_BASE_MISMATCH",
  "CONCURRENT_EDIT",
]);
/** What another answer of the model can't change. */
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

/** What a session does about an issue; a code that is not known is worth one repair. */
export function recoveryFrom({ code }: Pick<Issue, "code">): Recovery {
  if (STOP.has(code)) return "stop";
  if (REREAD.has(code)) return "reread";
  return /^ERR_(?:EDIT_|PATCH_(?:NOT|APPLY))/.test(code) ? "repair_then_descend" : "repair";
}

/** The version to ask for after one has failed; undefined below the first. */
export function versionBelow(version: PlanVersion): PlanVersion | undefined {
  return planVersions[planVersions.indexOf(version) - 1];
}
