import type { LegHit } from "./search-index.ts";

const fewestHits = 4;
const mostHits = 100;
/** Correlation, less its standard error, from which a vector leg counts in full; at 0 it says nothing. */
const fullTrust = 0.15;

/**
 * How far a vector leg is to be believed, 0..1: by the correlation of its scores with those of the text leg over the text
 * leg's best hits, less the error that so few of them leave, times the share of these hits that have a vector. An embedding
 * that knows the language agrees with the words to some extent; a broken one does so by chance only. Where too few have a
 * vector to tell, one half of that share.
 */
export function trustVector(text: readonly LegHit[], vector: readonly LegHit[]): number {
  const scores = new Map(vector.map(({ id, score }) => [id, score]));
  const best = text.slice(0, mostHits);
  const pairs: [number, number][] = [];
  for (const { id, score } of best) {
    const other = scores.get(id);
    if (other !== undefined) pairs.push([score, other]);
  }
  const coverage = pairs.length / best.length;
  if (pairs.length < fewestHits) return coverage / 2;
  const trust = (correlationOf(pairs) - 1 / Math.sqrt(pairs.length)) / fullTrust;
  return coverage * Math.min(1, Math.max(0, trust));
}

/** Pearson's; 0 where one side does not vary. */
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
