import { compareCodeUnits } from "@ccl/core";
import type { ResourceColumn } from "./resource-record.ts";

/** A column before and after. */
interface ColumnPair {
  from: ResourceColumn;
  to: ResourceColumn;
}

/**
 * Limit for removed columns times added columns. Above it, the table counts as replaced, and renames are not
 * searched for.
 */
const maxPairs = 40_000;
/** Minimum similarity of names, unless the descriptions are equal. */
const likeness = 0.5;

/** Maps the columns of one state to those of the next. */
interface PairedColumns {
  /** Columns whose name stayed the same. */
  kept: ColumnPair[];
  renamed: ColumnPair[];
  removed: ResourceColumn[];
  added: ResourceColumn[];
}

/** Returns a key that distinguishes parameters and fields with the same name by `in`. */
function columnKey(column: ResourceColumn): string {
  return JSON.stringify([column["in"] ?? "", column.name]);
}

/** Pairs the columns of two states of a resource by name, then the rest as renames. */
export function pairColumns(
  before: readonly ResourceColumn[],
  after: readonly ResourceColumn[],
): PairedColumns {
  const old = new Map(before.map((column) => [columnKey(column), column]));
  const now = new Map(after.map((column) => [columnKey(column), column]));
  const removedColumns = [...old].flatMap(([key, column]) => (now.has(key) ? [] : column));
  const addedColumns = [...now].flatMap(([key, column]) => (old.has(key) ? [] : column));
  const renamed = findRenames(removedColumns, addedColumns);
  return {
    kept: [...old].flatMap(([key, from]) => {
      const to = now.get(key);
      return to === undefined ? [] : { from, to };
    }),
    renamed,
    removed: removedColumns.filter((column) => renamed.every(({ from }) => from !== column)),
    added: addedColumns.filter((column) => renamed.every(({ to }) => to !== column)),
  };
}

/**
 * Pairs each removed column with an added column of the same type, best match first. Their
 * descriptions must be equal, or their names must share half of their letter pairs or more (Dice
 * coefficient).
 */
function findRenames(
  removed: readonly ResourceColumn[],
  added: readonly ResourceColumn[],
): ColumnPair[] {
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
  const paired = new Set<ResourceColumn>();
  const renames: ColumnPair[] = [];
  for (const { from, to } of pairs) {
    if (paired.has(from) || paired.has(to)) continue;
    paired.add(from).add(to);
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

/** Returns the Dice coefficient over letter pairs, ignoring case and separators. 1 for equal names. */
function likenessOf(left: string, right: string): number {
  const [first, second] = [bigramsOf(left), bigramsOf(right)];
  let shared = 0;
  for (const pair of first) if (second.has(pair)) shared += 1;
  return first.size + second.size === 0 ? 0 : (2 * shared) / (first.size + second.size);
}

function bigramsOf(name: string): Set<string> {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}
