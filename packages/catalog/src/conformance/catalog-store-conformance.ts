import assert from "node:assert/strict";

import type { CatalogStore } from "../store/catalog-store.ts";
import { lifeRules } from "./life-rules.ts";
import { listingRules } from "./listing-rules.ts";
import { writeRules } from "./write-rules.ts";

/** How the kit gets at stores. What an adapter leaves out it does not promise, and the rules for it are not in the list. */
export interface CatalogStoreConformanceOptions {
  /** An empty store; called once a rule, which closes it. */
  open(): Promise<CatalogStore>;
  /** Closes the store and opens the same data again. */
  reopen?(store: CatalogStore): Promise<CatalogStore>;
  /** A second handle on the data of an open store, as another process would have it. */
  openSecond?(store: CatalogStore): Promise<CatalogStore>;
}

/** One rule; `run` rejects with an assertion error when the store breaks it. */
export interface ConformanceRule {
  name: string;
  run(): Promise<void>;
}

/** A rule before it is bound to a store. */
export interface StoreRule {
  name: string;
  /** What the adapter has to offer for it. */
  needs?: "reopen" | "openSecond" | undefined;
  check(store: CatalogStore, hooks: Required<CatalogStoreConformanceOptions>): Promise<void>;
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
