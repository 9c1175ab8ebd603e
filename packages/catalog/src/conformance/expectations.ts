import assert from "node:assert/strict";
import { canonicalJson } from "@ccl/core";

import type { CatalogStore, ChangedId, HistoryEntry } from "../store/catalog-store.ts";

/** Fails unless both have the same canonical JSON. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  assert.equal(canonicalJson(actual ?? null), canonicalJson(expected ?? null), what);
}

/** Every id of a store, page by page. */
export async function listedIds(store: CatalogStore, limit?: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.list({
      cursor,
      limit,
    });
    ids.push(...page.resources.map(({ record }) => record.id));
    ({ cursor } = page);
    assert.ok(
      cursor === undefined || page.resources.length > 0,
      "a page without records has a cursor",
    );
    assert.ok(ids.length < 10_000, "the pages do not end");
    if (cursor === undefined) return ids;
  }
}

/** Everything that changed after a version, page by page. */
export async function changedAfter(
  store: CatalogStore,
  version: number,
  limit?: number,
): Promise<ChangedId[]> {
  const changes: ChangedId[] = [];
  for (let after = version; ;) {
    const page = await store.changesAfter(after, limit === undefined ? {} : { limit });
    changes.push(...page.changes);
    assert.ok(
      page.changes.length > 0 || !page.hasMore,
      "a page without changes says that there are more",
    );
    assert.ok(changes.length < 10_000, "the pages do not end");
    after = page.after;
    if (!page.hasMore) return changes;
  }
}

/** A whole history, page by page. */
export async function wholeHistory(
  store: CatalogStore,
  id: string,
  limit: number,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.history(id, { limit, cursor });
    entries.push(...page.entries);
    ({ cursor } = page);
    assert.ok(
      cursor === undefined || page.entries.length > 0,
      "a page without entries has a cursor",
    );
    if (cursor === undefined) return entries;
  }
}
