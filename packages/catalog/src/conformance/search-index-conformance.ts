import assert from "node:assert/strict";

import type { SearchIndex } from "../search/search-index.ts";
import type { ConformanceRule } from "./catalog-store-conformance.ts";
import { searchChangeRules } from "./search-change-rules.ts";
import { searchFilterRules } from "./search-filter-rules.ts";
import { searchLifeRules } from "./search-life-rules.ts";
import { searchRankRules } from "./search-rank-rules.ts";

/** How the kit gets at indexes. What an adapter leaves out it does not promise, and the rules for it are not in the list. */
export interface SearchIndexConformanceOptions {
  /** An empty index; called once or twice a rule. */
  open(): Promise<SearchIndex>;
  /** Opens the same data again, as after a restart. */
  reopen?(index: SearchIndex): Promise<SearchIndex>;
  /** A second handle on the data of an open index, as another process would have it. */
  openSecond?(index: SearchIndex): Promise<SearchIndex>;
}

/** A rule before it is bound to an index. */
export interface SearchRule {
  name: string;
  /** What the adapter has to offer for it. */
  needs?: "reopen" | "openSecond" | undefined;
  check(index: SearchIndex, hooks: Required<SearchIndexConformanceOptions>): Promise<void>;
}

/** What every search index promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function searchIndexConformance(options: SearchIndexConformanceOptions): ConformanceRule[] {
  const absent = (): Promise<never> =>
    Promise.reject(new assert.AssertionError({ message: "the hook is missing" }));
  const hooks = { reopen: absent, openSecond: absent, ...options };
  return [...searchChangeRules, ...searchFilterRules, ...searchRankRules, ...searchLifeRules]
    .filter(({ needs }) => needs === undefined || options[needs] !== undefined)
    .map(({ name, check }) => ({ name, run: async () => check(await options.open(), hooks) }));
}
