import { compareCodeUnits } from "../record/compare-code-units.ts";
import type { RankWeights } from "./rank-weights.ts";
import type { ScoreTerms } from "./score-terms.ts";
import type { LegHit } from "./search-index.ts";
import { trustVector } from "./trust-vector.ts";

/** What a score is made of: each part is the weighted amount that it added; absent parts had no say. They sum up to the score. */
export interface ScoreExplanation {
  text?: number | undefined;
  vector?: number | undefined;
  recency?: number | undefined;
  capability?: number | undefined;
  /** Not above zero. */
  cost?: number | undefined;
  /** What a hit passed on to a record that its foreign keys name. */
  neighbour?: number | undefined;
  /** The id of that hit. */
  neighbourOf?: string | undefined;
  /** What was added so that the vector leg does not push a hit of the text leg down too far. */
  guard?: number | undefined;
  /** The text leg's score before it was normalised, by word; `/container` is the share of the record's container. */
  textParts?: Record<string, number> | undefined;
}

/** A record with its fused score. */
export interface FusedHit {
  id: string;
  score: number;
  explain: ScoreExplanation;
}

/** What each leg found, and what the records are worth apart from it. */
export interface FuseLegsInput {
  text?: readonly LegHit[] | undefined;
  /** With a score for each id of the text leg that has a vector; those without are scored by their words alone. */
  vector?: readonly LegHit[] | undefined;
  weights: RankWeights;
  /** Undefined for an id that is not to be ranked. */
  termsOf: (id: string) => ScoreTerms | undefined;
}

/** A hit that is n-th without the vector leg is at worst at this many times n with it. */
const furthestDrop = 2;
/** Share of the vector's factor that orders what the words did not find, however little the vector leg is trusted. */
const unfoundShare = 1 / 6;

/**
 * Adds up text, vector, recency, capability and cost. Text and vector are normalised to 0..1 over the candidates of both;
 * what the words did not find has their least, and what has no vector is scored by its words alone. The vector leg counts as
 * far as it agrees with the text leg, and pushes what is best without it down by little: a weak embedding can't spoil
 * the answer. Best first, ties by id.
 */
export function fuseLegs(input: FuseLegsInput): FusedHit[] {
  const { text = [], vector = [], weights } = input;
  const ids = [...new Set([...text, ...vector].map(({ id }) => id))];
  const textScores = normalise(text, ids);
  const vectorScores = normalise(
    vector,
    vector.map(({ id }) => id),
  );
  const trust = vector.length === 0 ? 0 : text.length === 0 ? 1 : trustVector(text, vector);
  const vectorWeight = text.length === 0 ? weights.text + weights.vector : weights.vector * trust;
  const unfoundWeight = Math.max(vectorWeight, weights.vector * unfoundShare);
  const wholeWeight = weights.text + weights.vector;
  const parts = new Map(text.map((hit) => [hit.id, hit.parts]));
  const hits: (FusedHit & { without: number })[] = [];
  for (const id of ids) {
    const terms = input.termsOf(id);
    if (terms === undefined) continue;
    const textScore = textScores.get(id) ?? 0;
    const explain = explainTerms(terms, weights);
    const rest = sumOf(explain);
    const vectorScore = vectorScores.get(id);
    const textWeight = vectorScore === undefined ? wholeWeight : wholeWeight - vectorWeight;
    if (text.length > 0) explain.text = textWeight * textScore;
    if (vectorScore !== undefined)
      explain.vector = (textScores.has(id) ? vectorWeight : unfoundWeight) * vectorScore;
    const textParts = parts.get(id);
    if (textParts !== undefined) explain.textParts = textParts;
    const without = rest + wholeWeight * textScore;
    hits.push({ id, score: sumOf(explain), explain, without });
  }
  const ranked = hits.sort((left, right) => compareHits(left, right));
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
export function sumOf(explain: ScoreExplanation): number {
  const {
    text = 0,
    vector = 0,
    recency = 0,
    capability = 0,
    cost = 0,
    neighbour = 0,
    guard = 0,
  } = explain;
  return text + vector + recency + capability + cost + neighbour + guard;
}

function explainTerms(
  { recency, capability, cost }: ScoreTerms,
  weights: RankWeights,
): ScoreExplanation {
  return {
    recency: weights.recency * recency,
    capability: capability === undefined ? undefined : weights.capability * capability,
    cost: cost === undefined ? undefined : 0 - weights.cost * cost,
  };
}

/** Min-max over the candidates; where all are equal, those found have 1. */
function normalise(hits: readonly LegHit[], ids: readonly string[]): Map<string, number> {
  let least = Infinity;
  let most = -Infinity;
  for (const { score } of hits) {
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  // Candidates that a leg of positive scores did not find count as 0 there, below its least hit.
  if (hits.length < ids.length) least = Math.min(least, 0);
  const width = most - least;
  return new Map(hits.map(({ id, score }) => [id, width > 0 ? (score - least) / width : 1]));
}

function guardText(ranked: readonly (FusedHit & { without: number })[]): FusedHit[] {
  const wanted = [...ranked].sort(
    (left, right) => right.without - left.without || compareCodeUnits(left.id, right.id),
  );
  const placed = new Set<string>();
  const guarded: FusedHit[] = [];
  let nextRanked = 0;
  let nextWanted = 0;
  while (guarded.length < ranked.length) {
    while (placed.has(ranked[nextRanked]?.id ?? "")) nextRanked += 1;
    while (placed.has(wanted[nextWanted]?.id ?? "")) nextWanted += 1;
    const isDue = Math.ceil(furthestDrop * (nextWanted + 1)) <= guarded.length + 1;
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
