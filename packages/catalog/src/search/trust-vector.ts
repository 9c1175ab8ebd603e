import type { LegHit } from "./search-index.ts";

const fewestHits = 8;
const mostHits = 100;
/** Correlation up to which a vector leg says nothing, and from which it counts in full. */
const noTrust = 0;
const fullTrust = 0.2;

/**
 * How far a vector leg is to be believed, 0..1: by the correlation of its scores with those of the text leg over the text
 * leg's best hits. An embedding that knows the language agrees with the words to some extent; a broken one does not.
 * 1 where there are too few hits to tell.
 */
export function trustVector(text: readonly LegHit[], vector: readonly LegHit[]): number {
  const scores = new Map(vector.map(({ id, score }) => [id, score]));
  const pairs: [number, number][] = [];
  for (const { id, score } of text.slice(0, mostHits)) {
    const other = scores.get(id);
    if (other !== undefined) pairs.push([score, other]);
  }
  if (pairs.length < fewestHits) return 1;
  const trust = (correlationOf(pairs) - noTrust) / (fullTrust - noTrust);
  return Math.min(1, Math.max(0, trust));
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
