import assert from "node:assert/strict";
import { logRules } from "./log-rules.ts";
import { lifeRules } from "./life-rules.ts";
import { listingRules } from "./listing-rules.ts";
import type { SessionStoreConformanceOptions } from "./store-rule.ts";

/** One rule; `run` rejects with an assertion error when the store breaks it. */
export interface ConformanceRule {
  name: string;
  run(): Promise<void>;
}

/** What every session store promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function sessionStoreConformance(
  options: SessionStoreConformanceOptions,
): ConformanceRule[] {
  const absent = (): Promise<never> =>
    Promise.reject(new assert.AssertionError({ message: "the hook is missing" }));
  const hooks = { reopen: absent, openSecond: absent, damage: absent, ...options };
  return [...logRules, ...listingRules, ...lifeRules]
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
