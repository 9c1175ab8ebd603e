import assert from "node:assert/strict";

import { lifeRules } from "./life-rules.ts";
import { listingRules } from "./listing-rules.ts";
import { writeRules } from "./write-rules.ts";
import type { CatalogStoreConformanceOptions } from "./store-rule.ts";

/** One rule; `run` rejects with an assertion error when the store breaks it. */
export interface ConformanceRule {
  name: string;
  run(): Promise<void>;
}

/** What every catalog store promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function catalogStoreConformance(
  options: CatalogStoreConformanceOptions,
): ConformanceRule[] {
  const absent = (): Promise<never> =>
    Promise.reject(new assert.AssertionError({ message: "the hook is missing" }));
  const hooks = { reopen: absent, openSecond: absent, ...options };
  return [...writeRules, ...listingRules, ...lifeRules]
    .filter(({ needs }) => needs === undefined || options[needs] !== undefined)
    .map(({ name, check }) => ({
      name,
      async run() {
        const store = await options.open();
        try {
          await check(store, hooks);
        } finally {
          await store.close();
        }
      },
    }));
}
