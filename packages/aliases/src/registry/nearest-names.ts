import { compareCodeUnits } from "@ccl/core";

const MAX_NAMES = 3;
const MAX_ERRORS = 6;
const LONGEST_NAME = 130;

/**
 * Returns up to 3 names with the fewest typing errors, nearest first. An error is an inserted,
 * missing or different letter, or a swap of two adjacent letters. Ignores case. A query without a
 * prefix is compared with the names without their prefixes.
 */
export function nearestNames(query: string, names: readonly string[]): string[] {
  const lowerQuery = query.slice(0, LONGEST_NAME).toLowerCase();
  const limit = Math.min(MAX_ERRORS, Math.max(2, Math.floor(lowerQuery.length / 3)));
  return names
    .map((name) => {
      const candidate = name.toLowerCase();
      const whole = typingDistance(lowerQuery, candidate, limit);
      // The right name with a wrong or missing prefix counts as one error.
      const bare = typingDistance(afterPrefix(lowerQuery), afterPrefix(candidate), limit - 1) + 1;
      return { name, distance: Math.min(whole, bare) };
    })
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || compareCodeUnits(a.name, b.name))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function afterPrefix(alias: string): string {
  return alias.slice(alias.indexOf(".") + 1);
}

/** Computes the optimal string alignment distance. Returns `limit + 1` as soon as it exceeds `limit`. */
export function typingDistance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return far;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwapped = cost === 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const changed = (last[column - 1] ?? far) + cost;
      const added = Math.min(last[column] ?? far, current[column - 1] ?? far) + 1;
      const swapped = isSwapped ? (beforeLast[column - 2] ?? far) + 1 : far;
      current.push(Math.min(changed, added, swapped));
    }
    if (Math.min(...current) > limit) return far;
    [beforeLast, last] = [last, current];
  }
  return Math.min(last[b.length] ?? far, far);
}
