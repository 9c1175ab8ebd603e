import { posix } from "node:path";

import type { RegistryRecord } from "./registry-file.ts";

/** A file without an alias. */
export interface MoveTarget {
  path: string;
  sha256: string;
}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Matches missing records with unnamed files that have the same content, preferring the same file
 * name. Never matches empty files. Ties are resolved by the order of both lists.
 */
export function matchMoves<T extends MoveTarget>(
  missing: readonly { alias: string; record: RegistryRecord }[],
  targets: readonly T[],
): Map<string, T> {
  const moves = new Map<string, T>();
  const free = new Map<string, Set<T>>();
  for (const target of targets) {
    const sha8 = target.sha256.slice(0, 8);
    if (target.sha256 !== EMPTY_SHA256) free.set(sha8, (free.get(sha8) ?? new Set()).add(target));
  }
  for (const isSameName of [true, false])
    for (const { alias, record } of missing) {
      const { path, sha8, sha256 = sha8 } = record;
      const alike = free.get(sha8) ?? new Set();
      const target = [...alike].find(
        (other) =>
          other.sha256.startsWith(sha256) &&
          (!isSameName || posix.basename(other.path) === posix.basename(path)),
      );
      if (target === undefined || moves.has(alias)) continue;
      moves.set(alias, target);
      alike.delete(target);
    }
  return moves;
}
