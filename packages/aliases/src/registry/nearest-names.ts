import { compareCodeUnits } from "./alias-name.ts";

const MAX_NAMES = 3;
const LONGEST_NAME = 130;

/**
 * The at most 3 names that are the fewest typing errors away (a letter added, lost, changed or swapped with its
 * neighbour; case does not count), nearest first. A query without its prefix is compared with names without theirs.
 */
export function nearestNames(query: string, names: readonly string[]): string[] {
  const wanted = query.slice(0, LONGEST_NAME).toLowerCase();
  const bare = afterPrefix(wanted);
  let limit = Math.max(2, Math.floor(wanted.length / 3));
  let found: { name: string; distance: number }[] = [];
  for (const name of names) {
    const candidate = name.toLowerCase();
    const distance = Math.min(
      typingDistance(wanted, candidate, limit),
      // The right name under another prefix, or under none, is nearly right.
      typingDistance(bare, afterPrefix(candidate), limit - 1) + 1,
    );
    if (distance > limit) continue;
    found.push({ name, distance });
    if (found.length <= 8 * MAX_NAMES) continue;
    found = best(found);
    limit = found.at(-1)?.distance ?? limit;
  }
  return best(found).map(({ name }) => name);
}

function best(found: { name: string; distance: number }[]): { name: string; distance: number }[] {
  return found.sort((a, b) => a.distance - b.distance || compareCodeUnits(a.name, b.name)).slice(0, MAX_NAMES);
}

function afterPrefix(alias: string): string {
  return alias.slice(alias.indexOf(".") + 1);
}

/** Optimal string alignment distance; `limit + 1` as soon as it is certain to be more than `limit`. */
export function typingDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      current.push(cell({ a, b, row, column, current, last, beforeLast }));
    }
    if (Math.min(...current) > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[b.length] ?? 0, limit + 1);
}

interface CellInput {
  a: string;
  b: string;
  row: number;
  column: number;
  current: number[];
  last: number[];
  beforeLast: number[];
}

function cell({ a, b, row, column, current, last, beforeLast }: CellInput): number {
  const isEqual = a[row - 1] === b[column - 1];
  const substituted = at(last, column - 1) + (isEqual ? 0 : 1);
  const nearest = Math.min(substituted, at(last, column) + 1, at(current, column - 1) + 1);
  const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
  return isSwapped ? Math.min(nearest, at(beforeLast, column - 2) + 1) : nearest;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
