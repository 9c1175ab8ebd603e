import { compareCodeUnits } from "@ccl/core";
import type { SearchHit } from "../search-index.ts";

/** The parts of a fused score, which add up to it. A part that did not contribute is absent. */
export interface FusedExplanation {
  text?: number | undefined;
  vector?: number | undefined;
  /** Added so that vectors cannot move a word search hit down too far. */
  guard?: number | undefined;
  /**
   * The word score before normalization, by word. `/container` is the share from the document's
   * container.
   */
  textParts?: Record<string, number> | undefined;
}

/** A document with its fused score. */
interface FusedHit<Extra extends object = object> {
  id: string;
  score: number;
  explain: FusedExplanation & Extra;
}

/** The hits of the word search and the vector search, and extra amounts for each document. */
interface FuseHitsInput<Extra extends object = object> {
  text?: readonly SearchHit[] | undefined;
  /**
   * Must contain a score for each id in `text` that has a vector. Other ids are scored by words
   * alone.
   */
  vector?: readonly SearchHit[] | undefined;
  /**
   * The scores of the best word search hit and the best vector search hit. Default to 0.7 and 0.3.
   */
  weights?: { text: number; vector: number } | undefined;
  /** Returns named amounts to add to an id's score. If it returns undefined, the id is omitted. */
  extraOf: (id: string) => Extra | undefined;
}

/** A hit that ranks n-th without vectors ranks no lower than this many times n with them. */
const maxDrop = 2;
/**
 * Share of the vectors' weight used to order documents that the word search did not find, even if
 * vectors have little trust.
 */
const unfoundShare = 1 / 6;
/** On both tables and tools, these weights improved recall by 0.02 to 0.04 over equal weights. */
const defaultWeights = { text: 0.7, vector: 0.3 };

/**
 * Ranks by word scores, vector scores and extra amounts combined. Normalizes word and vector scores
 * to 0..1 over the hits of both searches. Documents that the word search did not find get the
 * minimum word score. Vectors count only as far as they agree with the words, and cannot move the
 * best word hits down by much, so a weak embedding cannot spoil the answer. Best first, ties by id.
 */
export function fuseHits<Extra extends object>(input: FuseHitsInput<Extra>): FusedHit<Extra>[] {
  const { text = [], vector = [], weights = defaultWeights } = input;
  const ids = [...new Set([...text, ...vector].map(({ id }) => id))];
  const textScores = normalize(text, text.length < ids.length);
  const vectorScores = normalize(vector, false);
  const trust = vector.length === 0 ? 0 : text.length === 0 ? 1 : trustVector(text, vector);
  const vectorWeight = text.length === 0 ? weights.text + weights.vector : weights.vector * trust;
  const unfoundWeight = Math.max(vectorWeight, weights.vector * unfoundShare);
  const wholeWeight = weights.text + weights.vector;
  const parts = new Map(text.map((hit) => [hit.id, hit.parts]));
  const hits = ids.flatMap((id) => {
    const extra = input.extraOf(id);
    if (extra === undefined) return [];
    const textScore = textScores.get(id) ?? 0;
    const vectorScore = vectorScores.get(id);
    const explain: FusedExplanation & Extra = { ...extra };
    const textWeight = vectorScore === undefined ? wholeWeight : wholeWeight - vectorWeight;
    if (text.length > 0) explain.text = textWeight * textScore;
    if (vectorScore !== undefined)
      explain.vector = (textScores.has(id) ? vectorWeight : unfoundWeight) * vectorScore;
    const textParts = parts.get(id);
    if (textParts !== undefined) explain.textParts = textParts;
    const byWords = sumOf(extra) + wholeWeight * textScore;
    return { id, score: sumOf(explain), explain, byWords };
  });
  const ranked = hits.sort(compareHits);
  const isGuarded = text.length > 0 && vector.length > 0;
  return (isGuarded ? guardText(ranked) : ranked).map(({ id, score, explain }) => ({
    id,
    score,
    explain,
  }));
}

/** Compares hits by score, highest first, then by id. */
export function compareHits(
  left: { id: string; score: number },
  right: { id: string; score: number },
): number {
  return right.score - left.score || compareCodeUnits(left.id, right.id);
}

/** Returns the sum of the amounts in an explanation. */
export function sumOf(explain: object): number {
  let sum = 0;
  for (const amount of Object.values(explain)) if (typeof amount === "number") sum += amount;
  return sum;
}

/**
 * Applies min-max normalization over the hits. The minimum is 0 if there are other candidates. If
 * all scores are equal, they become 1.
 */
function normalize(hits: readonly SearchHit[], hasOthers: boolean): Map<string, number> {
  let min = hasOthers ? 0 : Infinity;
  let max = -Infinity;
  for (const { score } of hits) {
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  const width = max - min;
  return new Map(hits.map(({ id, score }) => [id, width > 0 ? (score - min) / width : 1]));
}

function guardText<Extra extends object>(
  ranked: readonly (FusedHit<Extra> & { byWords: number })[],
): FusedHit<Extra>[] {
  const wanted = [...ranked].sort(
    (left, right) => right.byWords - left.byWords || compareCodeUnits(left.id, right.id),
  );
  const placed = new Set<string>();
  const guarded: FusedHit<Extra>[] = [];
  let nextRanked = 0;
  let nextWanted = 0;
  while (guarded.length < ranked.length) {
    while (placed.has(ranked[nextRanked]?.id ?? "")) nextRanked += 1;
    while (placed.has(wanted[nextWanted]?.id ?? "")) nextWanted += 1;
    const isDue = Math.ceil(maxDrop * (nextWanted + 1)) <= guarded.length + 1;
    const best = ranked[nextRanked];
    const hit = isDue ? wanted[nextWanted] : best;
    if (hit === undefined || best === undefined) break;
    const lift = best.score - hit.score;
    placed.add(hit.id);
    guarded.push(
      lift > 0 ? { ...hit, score: best.score, explain: { ...hit.explain, guard: lift } } : hit,
    );
  }
  return guarded;
}

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
function trustVector(text: readonly SearchHit[], vector: readonly SearchHit[]): number {
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
