import { bindRules, type ConformanceRule } from "@ccl/core/conformance";

import { lifeRules } from "./life-rules.ts";
import { listingRules } from "./listing-rules.ts";
import { logRules } from "./log-rules.ts";
import type { SessionStoreHooks } from "./store-rule.ts";

/** What every session store promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function sessionStoreConformance(hooks: SessionStoreHooks): ConformanceRule[] {
  return bindRules([...logRules, ...listingRules, ...lifeRules], hooks);
}
