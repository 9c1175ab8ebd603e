import assert from "node:assert/strict";
import type { SessionStore } from "../session-store/session-store.ts";
import { logRules } from "./log-rules.ts";
import { lifeRules } from "./life-rules.ts";
import { listingRules } from "./listing-rules.ts";

/** How the kit gets at stores. What an adapter leaves out it does not promise, and the rules for it are not in the list. */
export interface SessionStoreConformanceOptions {
  /** An empty store; called once a rule, which closes it. */
  open(): Promise<SessionStore>;
  /** Closes the store and opens the same data again. */
  reopen?(store: SessionStore): Promise<SessionStore>;
  /** A second handle on the data of an open store, as another process would have it. */
  openSecond?(store: SessionStore): Promise<SessionStore>;
  /** Changes what is stored of the first event of a session, behind the store's back. */
  damage?(store: SessionStore, sessionId: string): Promise<void>;
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
  needs?: "reopen" | "openSecond" | "damage" | undefined;
  check(store: SessionStore, hooks: Required<SessionStoreConformanceOptions>): Promise<void>;
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
