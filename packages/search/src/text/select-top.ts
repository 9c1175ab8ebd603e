import { compareCodeUnits } from "@ccl/core";

/** A slot with its score. */
export interface ScoredSlot {
  slot: number;
  score: number;
}

/** Returns the best `limit` slots, best first. Ties are sorted by id in code units. */
export function selectTop(
  found: readonly ScoredSlot[],
  limit: number,
  ids: readonly (string | undefined)[],
): ScoredSlot[] {
  // Sorting plain numbers is fast. Only slots that tie with the lowest selected score are also
  // compared by id.
  const scores = Float64Array.from(found, ({ score }) => score).sort();
  const lowest = scores[Math.max(0, scores.length - limit)] ?? 0;
  return found
    .filter(({ score }) => score >= lowest)
    .sort(
      (left, right) =>
        right.score - left.score || compareCodeUnits(ids[left.slot] ?? "", ids[right.slot] ?? ""),
    )
    .slice(0, limit);
}
