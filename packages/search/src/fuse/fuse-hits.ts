import { compareCodeUnits } from "@ccl/core";
import type { SearchHit } from "../search-index.ts";
import { trustVector } from "./trust-vector.ts";

/** The parts of a fused score, which is their sum. A part that did not contribute is absent. */
export interface FusedExplanation {
  text?: number | undefined;
  vector?: number | undefined;
  /** Added so that vectors do not push a hit of the word search down too far. */
  guard?: number | undefined;
  /**
   * The word score before normalization, by word. `/container` is the share of the document's
   * container.
   */
  textParts?: Record<string, number> | undefined;
}

/** A document with its fused score. */
export interface FusedHit<Extra extends object = object> {
  id: string;
  score: number;
  explain: FusedExplanation & Extra;
}

/** The hits of the word search and the vector search, and additional amounts for each document. */
export interface FuseHitsInput<Extra extends object = object> {
  text?: readonly SearchHit[] | undefined;
  /**
   * Contains a score for each id of `text` that has a vector. Other ids are scored by their words
   * alone.
   */
  vector?: readonly SearchHit[] | undefined;
  /**
   * The scores of the best hit of the word search and of the vector search. 0.7 and 0.3 by default.
   */
  weights?: { text: number; vector: number } | undefined;
  /**
   * Returns named amounts that are added to the score of an id. Ids without any amount are left
   * out.
   */
  extraOf: (id: string) => Extra | undefined;
}

/** A hit that ranks n-th without vectors ranks no lower than this many times n with them. */
const maxDrop = 2;
/**
 * Share of the vectors' weight that orders documents the word search did not find, even if the
 * vectors are hardly trusted.
 */
const unfoundShare = 1 / 6;
/** These weights gave 0.02 to 0.04 more recall than equal ones, on tables and on tools. */
const defaultWeights = { text: 0.7, vector: 0.3 };

/**
 * Ranks by word scores, vector scores and additional amounts together. Word and vector scores are
 * normalized to 0..1 over the hits of both. Documents that the word search did not find get the
 * minimum word score. Vectors count only as far as they agree with the words, and cannot push the
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

/** The sum of the amounts of an explanation. */
export function sumOf(explain: object): number {
  let sum = 0;
  for (const amount of Object.values(explain)) if (typeof amount === "number") sum += amount;
  return sum;
}

/**
 * Min-max normalization over the hits. The minimum is 0 if there are other candidates. All scores
 * are 1 if they are equal.
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
