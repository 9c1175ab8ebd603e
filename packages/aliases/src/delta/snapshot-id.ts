import { canonicalJson, sha8 } from "@ccl/core";

import type { SnapshotEntry } from "./snapshot.ts";

/**
 * `ctx@` and 8 hex digits of a hash of aliases, paths and content hashes. Stored texts do not
 * affect it.
 */
export function snapshotId(entries: Readonly<Record<string, SnapshotEntry>>): string {
  // Builds the canonical JSON of { alias: { path, sha256 } } member by member, since there may be tens of thousands.
  const members = Object.keys(entries)
    .sort()
    .map((alias) => `${canonicalJson(alias)}:${memberText(entries[alias])}`);
  return `ctx@${sha8(`{${members.join(",")}}`)}`;
}

function memberText(entry: SnapshotEntry | undefined): string {
  const { path = "", sha256 = "" } = entry ?? {};
  return `{"path":${canonicalJson(path)},"sha256":${canonicalJson(sha256)}}`;
}

/** A record with its keys in code unit order. `__proto__` is an ordinary key. */
export function orderedByAlias<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
