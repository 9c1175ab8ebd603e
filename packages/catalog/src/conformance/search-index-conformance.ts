import { bindRules, type ConformanceHooks, type ConformanceRule } from "@ccl/core/conformance";

import type { SearchIndex } from "../search/search-index.ts";
import { searchChangeRules } from "./search-change-rules.ts";
import { searchFilterRules } from "./search-filter-rules.ts";
import { searchLifeRules } from "./search-life-rules.ts";
import { searchRankRules } from "./search-rank-rules.ts";

/** What every search index promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function searchIndexConformance(hooks: ConformanceHooks<SearchIndex>): ConformanceRule[] {
  return bindRules(
    [...searchChangeRules, ...searchFilterRules, ...searchRankRules, ...searchLifeRules],
    hooks,
  );
}
