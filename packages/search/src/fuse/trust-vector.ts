import type { SearchHit } from "../search-index.ts";

const minHits = 4;
const maxHits = 100;
/**
 * The correlation, less its standard error, at which vectors get full weight. At 0 they get none.
 */
const fullTrust = 0.15;

/**
 * Returns the trust in vectors, 0..1: the correlation of vector scores with word scores over the
 * best word hits, less its standard error, times the share of these hits that have a vector. An
 * embedding that knows the language agrees with the words to some extent, while a broken one agrees
 * only by chance. If too few hits have a vector to judge, returns half of that share.
 */
export function trustVector(text: readonly SearchHit[], vector: readonly SearchHit[]): number {
  const scores = new Map(vector.map(({ id, score }) => [id, score]));
  const best = text.slice(0, maxHits);
  const pairs: [number, number][] = [];
  for (const { id, score } of best) {
    const other = scores.get(id);
    if (other !== undefined) pairs.push([score, other]);
  }
  const coverage = pairs.length / best.length;
  if (pairs.length < minHits) return coverage / 2;
  const trust = (correlationOf(pairs) - 1 / Math.sqrt(pairs.length)) / fullTrust;
  return coverage * Math.min(1, Math.max(0, trust));
}

/** Returns the Pearson correlation, or 0 if either side is constant. */
function correlationOf(pairs: readonly (readonly [number, number])[]): number {
  let leftMean = 0;
  let rightMean = 0;
  for (const [left, right] of pairs) {
    leftMean += left / pairs.length;
    rightMean += right / pairs.length;
  }
  let both = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (const [left, right] of pairs) {
    both += (left - leftMean) * (right - rightMean);
    leftSquares += (left - leftMean) ** 2;
    rightSquares += (right - rightMean) ** 2;
  }
  const scale = Math.sqrt(leftSquares * rightSquares);
  return scale > 0 ? both / scale : 0;
}
