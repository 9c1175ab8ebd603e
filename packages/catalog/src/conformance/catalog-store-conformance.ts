import { bindRules, type ConformanceHooks, type ConformanceRule } from "@ccl/core/conformance";

import type { CatalogStore } from "../store/catalog-store.ts";
import { lifeRules } from "./life-rules.ts";
import { listingRules } from "./listing-rules.ts";
import { writeRules } from "./write-rules.ts";

/** What every catalog store promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function catalogStoreConformance(hooks: ConformanceHooks<CatalogStore>): ConformanceRule[] {
  return bindRules([...writeRules, ...listingRules, ...lifeRules], hooks);
}
