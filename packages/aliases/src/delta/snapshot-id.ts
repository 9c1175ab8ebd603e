import { canonicalJson, sha8 } from "@ccl/core";

import type { SnapshotEntry } from "./snapshot.ts";

/** `ctx@` and 8 hex digits over aliases, paths and content hashes; whether texts are kept makes no difference. */
export function snapshotId(entries: Readonly<Record<string, SnapshotEntry>>): string {
  const content = Object.entries(entries).map(([alias, { path, sha256 }]) => [alias, { path, sha256 }] as const);
  return `ctx@${sha8(canonicalJson(Object.fromEntries(content)))}`;
}

/** A record with its keys in code unit order. `__proto__` is a key like any other. */
export function orderedByAlias<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
