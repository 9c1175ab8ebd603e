import { posix } from "node:path";

import type { RegistryRecord } from "./registry-file.ts";

/** A file without an alias. */
export interface MoveTarget {
  path: string;
  sha256: string;
}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Matches missing records with unnamed files of the same content, preferring the same file name.
 * Empty files never match. Ties are decided by the order of both lists.
 */
export function matchMoves<T extends MoveTarget>(
  missing: readonly (readonly [alias: string, record: RegistryRecord])[],
  targets: readonly T[],
): Map<string, T> {
  const moves = new Map<string, T>();
  if (missing.length === 0) return moves;
  const queues = new Map<string, T[]>();
  for (const target of targets.toReversed()) {
    if (target.sha256 !== EMPTY_SHA256) for (const key of keysOf(target)) push(queues, key, target);
  }
  const taken = new Set<T>();
  for (const isSameName of [true, false]) {
    for (const [alias, { path, sha8, sha256 = sha8 }] of missing) {
      if (moves.has(alias)) continue;
      const target = takeFirst(
        queues.get(isSameName ? `${sha256}/${posix.basename(path)}` : sha256),
        taken,
      );
      if (target !== undefined) moves.set(alias, target);
    }
  }
  return moves;
}

function keysOf({ path, sha256 }: MoveTarget): string[] {
  const name = posix.basename(path);
  const sha8 = sha256.slice(0, 8);
  return [sha256, sha8, `${sha256}/${name}`, `${sha8}/${name}`];
}

function push<T>(queues: Map<string, T[]>, key: string, target: T): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, [target]);
  else queue.push(target);
}

/** Queues are reversed, so the first item is at the end. */
function takeFirst<T>(queue: T[] | undefined, taken: Set<T>): T | undefined {
  for (let target = queue?.pop(); target !== undefined; target = queue?.pop()) {
    if (taken.has(target)) continue;
    taken.add(target);
    return target;
  }
  return undefined;
}
