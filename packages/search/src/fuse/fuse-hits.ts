import { compareCodeUnits } from "@ccl/core";
import type { SearchHit } from "../search-index.ts";
import { trustVector } from "./trust-vector.ts";

/** The parts of a fused score. The score is their sum. Absent parts did not contribute. */
export interface FusedExplanation {
  text?: number | undefined;
  vector?: number | undefined;
  /** An addition that keeps vectors from pushing down a hit of the words too far. */
  guard?: number | undefined;
  /** The words' score before normalization, by word. `/container` is the share of the document's container. */
  textParts?: Record<string, number> | undefined;
}

/** A document with its fused score. */
export interface FusedHit<Extra extends object = object> {
  id: string;
  score: number;
  explain: FusedExplanation & Extra;
}

/** What words and vectors found, and what each document is worth independently of them. */
export interface FuseHitsInput<Extra extends object = object> {
  text?: readonly SearchHit[] | undefined;
  /** Has a score for each id of `text` that has a vector. Other ids are scored by their words alone. */
  vector?: readonly SearchHit[] | undefined;
  /** The scores of the best hit by words and of the best hit by vectors. 0.7 and 0.3 if absent. */
  weights?: { text: number; vector: number } | undefined;
  /** Returns named amounts that are added to the score of an id. Ids without any are left out. */
  extraOf: (id: string) => Extra | undefined;
}

/** A hit that ranks n-th without vectors ranks at worst at this many times n with them. */
const maxDrop = 2;
/**
 * The share of the vectors' weight that orders documents the words did not find, even if vectors are hardly trusted.
 */
const unfoundShare = 1 / 6;
/** Measured better than equal weights on tables and on tools, by 0.02 to 0.04 of recall. */
const defaultWeights = { text: 0.7, vector: 0.3 };

/**
 * Ranks by words, vectors and extra amounts together. Scores of words and vectors are normalized to 0..1 over the hits
 * of both. Documents that the words did not find get the words' minimum. Vectors count only as far as they agree with
 * the words, and cannot push down the best hits of the words by much, so a weak embedding cannot spoil the answer. Best
 * first, ties by id.
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

/** Higher scores first, then by id. */
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

/** Min-max over the hits. 0 is the minimum if other candidates were not found. All 1 if they are equal. */
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
