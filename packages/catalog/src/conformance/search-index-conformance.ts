import assert from "node:assert/strict";

import type { ConformanceRule } from "./catalog-store-conformance.ts";
import { searchChangeRules } from "./search-change-rules.ts";
import { searchFilterRules } from "./search-filter-rules.ts";
import { searchLifeRules } from "./search-life-rules.ts";
import { searchRankRules } from "./search-rank-rules.ts";
import type { SearchIndexConformanceOptions } from "./search-rule.ts";

/** What every search index promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function searchIndexConformance(options: SearchIndexConformanceOptions): ConformanceRule[] {
  const absent = (): Promise<never> =>
    Promise.reject(new assert.AssertionError({ message: "the hook is missing" }));
  const hooks = { reopen: absent, openSecond: absent, ...options };
  return [...searchChangeRules, ...searchFilterRules, ...searchRankRules, ...searchLifeRules]
    .filter(({ needs }) => needs === undefined || options[needs] !== undefined)
    .map(({ name, check }) => ({ name, run: async () => check(await options.open(), hooks) }));
}
