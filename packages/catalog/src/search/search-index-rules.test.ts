import { bindRules, type ConformanceHooks } from "@ccl/core/conformance";
import { expect, it } from "vitest";

import { createMemorySearchIndex } from "./create-memory-search-index.ts";
import type { SearchIndex } from "./search-index.ts";
import { searchChangeRules } from "./__fixtures__/search-change-rules.ts";
import { searchFilterRules } from "./__fixtures__/search-filter-rules.ts";
import { searchRankRules } from "./__fixtures__/search-rank-rules.ts";

const rules = [...searchChangeRules, ...searchFilterRules, ...searchRankRules];
const hooks: ConformanceHooks<SearchIndex> = { open: async () => createMemorySearchIndex() };

it.each(bindRules(rules, hooks))("$name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});
