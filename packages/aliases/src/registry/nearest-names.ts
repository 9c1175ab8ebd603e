import { compareCodeUnits } from "./alias-name.ts";

const MAX_NAMES = 3;
const MAX_ERRORS = 6;
const LONGEST_NAME = 130;

/**
 * The at most 3 names that are the fewest typing errors away (a letter added, lost, changed or swapped with its
 * neighbour; case does not count), nearest first. A query without its prefix is compared with names without theirs.
 */
export function nearestNames(query: string, names: readonly string[]): string[] {
  const wanted = query.slice(0, LONGEST_NAME).toLowerCase();
  const bare = afterPrefix(wanted);
  let limit = Math.min(MAX_ERRORS, Math.max(2, Math.floor(wanted.length / 3)));
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
  return found
    .sort((a, b) => a.distance - b.distance || compareCodeUnits(a.name, b.name))
    .slice(0, MAX_NAMES);
}

function afterPrefix(alias: string): string {
  return alias.slice(alias.indexOf(".") + 1);
}

/** Optimal string alignment distance; `limit + 1` as soon as it is certain to be more than `limit`. */
export function typingDistance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return far;
  let [current, last, beforeLast] = [newRow(b.length), newRow(b.length), newRow(b.length)];
  for (let column = 0; column <= b.length; column += 1) last[column] = column;
  for (let row = 1; row <= a.length; row += 1) {
    // Further from the diagonal than the limit, everything is too far.
    const from = Math.max(1, row - limit);
    const to = Math.min(b.length, row + limit);
    current[from - 1] = from === 1 ? row : far;
    let nearest = current[from - 1] ?? far;
    for (let column = from; column <= to; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwapped = cost === 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const aligned = Math.min(
        at(last, column - 1) + cost,
        isSwapped ? at(beforeLast, column - 2) + 1 : far,
      );
      const distance = Math.min(aligned, at(last, column) + 1, at(current, column - 1) + 1);
      current[column] = distance;
      nearest = Math.min(nearest, distance);
    }
    current[to + 1] = far;
    if (nearest > limit) return far;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return Math.min(at(last, b.length), far);
}

/** Writes behind the end of a row go nowhere. */
function newRow(length: number): Uint16Array {
  return new Uint16Array(length + 1);
}

function at(row: Uint16Array, column: number): number {
  return row[column] ?? 0;
}
