import { bindRules, type ConformanceHooks, type ConformanceRule } from "@ccl/core/conformance";

import type { Records } from "../records/records.ts";
import { leaseRules } from "./life-rules.ts";
import { lifeRules } from "./life-rules.ts";
import { listRules } from "./list-rules.ts";
import { logRules } from "./log-rules.ts";
import { recordRules } from "./record-rules.ts";

/**
 * Returns the rules for every records store, for any test runner: `for (const { name, run } of rules) it(name, run)`.
 */
export function recordsConformance(hooks: ConformanceHooks<Records>): ConformanceRule[] {
  return bindRules([...recordRules, ...listRules, ...logRules, ...leaseRules, ...lifeRules], hooks);
}
