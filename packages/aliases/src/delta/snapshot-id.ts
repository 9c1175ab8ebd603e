import { canonicalJson, compareCodeUnits, sha8 } from "@ccl/core";

import type { SnapshotEntry } from "./snapshot.ts";

/**
 * Returns `ctx@` and 8 hex digits of a hash of aliases, paths and content hashes. Stored texts do
 * not affect it.
 */
export function snapshotId(entries: Readonly<Record<string, SnapshotEntry>>): string {
  const members = Object.entries(entries).map(([alias, { path, sha256 }]) => [
    alias,
    { path, sha256 },
  ]);
  return `ctx@${sha8(canonicalJson(Object.fromEntries(members)))}`;
}

/** Builds a record with its keys in code unit order. `__proto__` is an ordinary key. */
export function orderedByAlias<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => compareCodeUnits(a, b)));
}
