import { compareCodeUnits } from "@ccl/core";

/** A slot with its score. */
export interface ScoredSlot {
  slot: number;
  score: number;
}

/** The best `limit` slots, best first. Ties are ordered by the code units of their ids. */
export function selectTop(
  found: readonly ScoredSlot[],
  limit: number,
  ids: readonly (string | undefined)[],
): ScoredSlot[] {
  // Sorting numbers is fast. Only slots that tie with the last of the best are also compared by id.
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
