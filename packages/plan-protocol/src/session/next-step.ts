import type { Issue } from "@ccl/core";

import type { PlanVersion } from "../plan/plan.ts";
import { recoveryFrom, versionBelow } from "./recovery-from.ts";

/** The repairs that are left to a proposal. */
export interface RepairBudget {
  form: number;
  content: number;
  total: number;
}

/** At most one repair for form and one for content, and no more than `repairs` in all. */
export function createRepairBudget(repairs: number): RepairBudget {
  return { form: 1, content: 1, total: repairs };
}

/** What comes after an answer that cannot be used. */
export type NextStep =
  | { step: "repair" }
  | { step: "descend"; version: PlanVersion }
  | { step: "stop" };

/** Sends the answer back while that is left, then goes down a version where that can help. Does not spend the repair. */
export function nextStep(
  issues: readonly Issue[],
  {
    stage,
    budget,
    version,
  }: {
    stage: "form" | "content";
    budget: RepairBudget;
    /** Undefined where no version lies below. */
    version: PlanVersion | undefined;
  },
): NextStep {
  const recoveries = new Set(issues.map(recoveryFrom));
  if (recoveries.has("stop")) return { step: "stop" };
  if (budget[stage] > 0 && budget.total > 0) return { step: "repair" };
  const below = version === undefined ? undefined : versionBelow(version);
  if (!recoveries.has("repair_then_descend") || below === undefined) return { step: "stop" };
  return { step: "descend", version: below };
}
