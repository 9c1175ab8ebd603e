import { compareCodeUnits } from "@ccl/core";
import type { ResourceColumn } from "./resource-record.ts";

/** A column under its old and its new name. */
export interface ColumnRename {
  from: ResourceColumn;
  to: ResourceColumn;
}

/** Above this product of removed and added columns, the table was replaced rather than renamed column by column. */
const maxPairs = 40_000;
/** Minimum similarity of names, unless the descriptions are equal. */
const likeness = 0.5;

/**
 * Pairs each removed column with up to one added column of the same type. They need the same description, or names that
 * share half of their letter pairs or more (Dice coefficient). The best pairs are taken first.
 */
export function findRenames(
  removed: readonly ResourceColumn[],
  added: readonly ResourceColumn[],
): ColumnRename[] {
  if (removed.length * added.length > maxPairs) return [];
  const pairs = removed.flatMap((from) =>
    added
      .filter((to) => to.type === from.type)
      .map((to) => ({ from, to, score: scoreOf(from, to) }))
      .filter(({ score }) => score >= likeness),
  );
  pairs.sort(
    (left, right) =>
      right.score - left.score ||
      compareCodeUnits(left.from.name, right.from.name) ||
      compareCodeUnits(left.to.name, right.to.name),
  );
  const taken = new Set<ResourceColumn>();
  const renames: ColumnRename[] = [];
  for (const { from, to } of pairs) {
    if (taken.has(from) || taken.has(to)) continue;
    taken.add(from).add(to);
    renames.push({ from, to });
  }
  return renames;
}

function scoreOf(from: ResourceColumn, to: ResourceColumn): number {
  const names = likenessOf(from.name, to.name);
  const isSameText =
    from.description !== undefined &&
    from.description !== "" &&
    from.description === to.description;
  return isSameText ? 1 + names : names;
}

/** Dice coefficient over letter pairs, ignoring case and separators. 1 for equal names. */
function likenessOf(left: string, right: string): number {
  const [one, two] = [bigramsOf(left), bigramsOf(right)];
  let shared = 0;
  for (const pair of one) if (two.has(pair)) shared += 1;
  return one.size + two.size === 0 ? 0 : (2 * shared) / (one.size + two.size);
}

function bigramsOf(name: string): Set<string> {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}
