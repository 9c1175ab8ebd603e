/** Grades above 0 by id. */
export type Grades = ReadonlyMap<string, number>;

/** Share of the relevant ids among the first `depth`. */
export function recallAt(ids: readonly string[], grades: Grades, depth: number): number {
  const found = ids.slice(0, depth).filter((id) => grades.has(id));
  return new Set(found).size / grades.size;
}

/** Normalised discounted cumulative gain (Järvelin and Kekäläinen) with gains 2^grade - 1; an id counts where it first stands. */
export function ndcgAt(ids: readonly string[], grades: Grades, depth: number): number {
  const gains = firstPlaces(ids)
    .slice(0, depth)
    .map((id) => gainOf(grades.get(id) ?? 0));
  const ideal = [...grades.values()]
    .map(gainOf)
    .sort((left, right) => right - left)
    .slice(0, depth);
  return discounted(gains) / discounted(ideal);
}

/** One over the place of the first relevant id, 0 where the first `depth` have none. */
export function reciprocalRank(ids: readonly string[], grades: Grades, depth: number): number {
  const at = ids.slice(0, depth).findIndex((id) => grades.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

function firstPlaces(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

function gainOf(grade: number): number {
  return 2 ** grade - 1;
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}
