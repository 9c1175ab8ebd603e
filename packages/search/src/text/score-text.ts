import type { SearchHit, TextHits } from "../search-index.ts";
import type { DocumentTable, Visible } from "../table/document-table.ts";
import type { QueryWord, TermAlternative } from "../words/analyzer.ts";
import { occurrenceStep } from "./analyze-document.ts";
import { findNearTerms, termsLike } from "./near-terms.ts";
import { selectTop } from "./select-top.ts";
import { entryStep, type TextPostings } from "./text-postings.ts";
import { resolveWeights, type ResolvedWeights, type TextWeights } from "./text-weights.ts";

/** The words to score, and the documents to score. */
interface ScoreTextInput {
  table: DocumentTable;
  visible: Visible;
  text: TextPostings;
  weights: TextWeights;
  words: readonly QueryWord[];
  limit: number;
}

/** Key in a hit's `parts` for the share from its container. Words never contain a slash. */
const containerPart = "/container";
/**
 * Container size above which a container counts less, because large containers match many words by
 * chance.
 */
const fullyShared = 32;

/** Maximum number of near terms for a word that is not in any visible document. */
const maxNearTerms = 8;

/** Slots and their scores, as parallel lists. */
interface Scores {
  slots: number[];
  scores: number[];
}

/**
 * Scores words over the visible slots. Each word counts by its best alternative. A document's score
 * is the sum over its words, plus a share of the amount by which the best documents of its
 * container score higher.
 */
export function scoreText(input: ScoreTextInput): TextHits {
  const { table, words, limit } = input;
  const weights = resolveWeights(input.weights);
  const { containers } = table;
  const match = createWordMatcher(input, weights);
  const total = createTally(table.ids.length);
  const best = createTally(table.ids.length);
  const containerBest = createTally(table.containerSizes.length);
  const containerTotal = createTally(table.containerSizes.length);
  const added: { word: string; found: Scores }[] = [];
  const unmatchedTerms: string[] = [];
  let matchedRarity = 0;
  let totalRarity = 0;
  for (const word of words) {
    const { alternatives, rarity, isFound } = match(word);
    totalRarity += rarity;
    if (isFound) matchedRarity += rarity;
    else unmatchedTerms.push(word.word);
    for (const found of alternatives) forEachScore(found, best.raise);
    const found = best.take();
    forEachScore(found, (slot, score) => {
      total.add(slot, score);
      containerBest.raise(containers[slot] ?? 0, score);
    });
    forEachScore(containerBest.take(), containerTotal.add);
    added.push({ word: word.word, found });
  }
  const shareOf = createContainerShare(input, weights, containerTotal.values);
  const { slots, scores } = total.take();
  const all = slots.map((slot, at) => {
    const ownScore = scores[at] ?? 0;
    return { slot, score: ownScore + shareOf(slot, ownScore) };
  });
  const top = selectTop(all, limit, table.ids);
  const parts = new Map(top.map(({ slot }) => [slot, new Map<string, number>()]));
  for (const { word, found } of added)
    forEachScore(found, (slot, score) => parts.get(slot)?.set(word, score));
  const hits = top.map(({ slot, score }): SearchHit => {
    const wordScores = parts.get(slot) ?? new Map<string, number>();
    const share = shareOf(slot, sumOf(wordScores.values()));
    if (share > 0) wordScores.set(containerPart, share);
    return { id: table.ids[slot] ?? "", score, parts: Object.fromEntries(wordScores) };
  });
  return { hits, unmatchedTerms, coverage: totalRarity === 0 ? 0 : matchedRarity / totalRarity };
}

/**
 * Returns a function that computes what a document's container adds to its score: a share of the
 * amount by which the container's best documents score higher. This way, a document without a
 * container is not at a disadvantage to those in large containers.
 */
function createContainerShare(
  { table, visible }: ScoreTextInput,
  { container: weight, containerSizeDiscount }: ResolvedWeights,
  together: Float64Array,
): (slot: number, own: number) => number {
  return (slot, ownScore) => {
    const container = table.containers[slot] ?? 0;
    const size = Math.max(1, visible.containerSizes[container] ?? 1);
    const share = weight / (1 + containerSizeDiscount * Math.log2(Math.min(size, fullyShared)));
    const common = Math.min(1, fullyShared / size);
    return share * common * Math.max(0, (together[container] ?? 0) - ownScore);
  };
}

/** The matches of a word in the visible documents. */
interface WordMatch {
  alternatives: Scores[];
  /**
   * Rarity of the best match that is not a hint. If only hints match, the rarity of a word that is
   * not in any document.
   */
  rarity: number;
  /** True if a visible document contains the word itself or an equivalent. */
  isFound: boolean;
}

/**
 * Creates a function that looks up words. Rarity is computed over the visible documents, so hidden
 * ones have no influence.
 */
function createWordMatcher(
  input: ScoreTextInput,
  weights: ResolvedWeights,
): (word: QueryWord) => WordMatch {
  const { text, visible, words } = input;
  const impactsOf = createImpacts(input, weights);
  const matchTerms = ({ terms, weight }: TermAlternative): Scores & { rarity: number } => {
    const sum = new Map<number, number>();
    let rarity = 0;
    for (const term of terms) {
      const { slots, scores } = impactsOf(term);
      if (slots.length === 0) continue;
      const factor = (weight * rarityOf(slots.length, visible.count)) / terms.length;
      rarity = Math.max(rarity, factor);
      if (terms.length === 1)
        return { slots, scores: scores.map((score) => factor * score), rarity };
      for (const [at, slot] of slots.entries())
        sum.set(slot, (sum.get(slot) ?? 0) + factor * (scores[at] ?? 0));
    }
    return { slots: [...sum.keys()], scores: [...sum.values()], rarity };
  };
  let termsNearWords: ReturnType<typeof termsLike> | undefined;
  return ({ alternatives }) => {
    const found = alternatives.map(matchTerms);
    const rarity = Math.max(
      0,
      ...found.filter((_, at) => alternatives[at]?.isHint !== true).map((each) => each.rarity),
    );
    if (rarity > 0) return { alternatives: found, rarity, isFound: true };
    const [alternative] = alternatives;
    if (alternative === undefined) return { alternatives: found, rarity: 0, isFound: false };
    termsNearWords ??= termsLike(
      text.keys(),
      words.map((word) => word.alternatives[0]?.terms[0] ?? ""),
    );
    const near = findNearTerms(termsNearWords, alternative.terms[0] ?? "")
      .map(({ term, likeness }) =>
        matchTerms({ terms: [term], weight: alternative.weight * likeness * weights.nearTerms }),
      )
      .filter(({ slots }) => slots.length > 0)
      .slice(0, maxNearTerms);
    return {
      alternatives: [...found, ...near],
      rarity: alternative.weight * rarityOf(0, visible.count),
      isFound: false,
    };
  };
}

/**
 * Creates a function that returns what a term adds to each visible document: its saturated
 * frequency, before rarity is applied.
 */
function createImpacts(
  { table, visible, text }: ScoreTextInput,
  { fields, k1 }: ResolvedWeights,
): (term: string) => Scores {
  const factors = fields.map(({ weight, lengthDiscount }, field) => {
    const { terms, documents } = visible.fieldTotals[field] ?? { terms: 0, documents: 0 };
    const slope = terms === 0 ? 0 : (lengthDiscount * documents) / terms;
    return { weight, base: 1 - lengthDiscount, slope };
  });
  return (term) => {
    const entries = text.get(term) ?? [];
    const slots: number[] = [];
    const scores: number[] = [];
    for (let at = 0; at < entries.length;) {
      const slot = Math.floor((entries[at] ?? 0) / entryStep);
      const end = (slot + 1) * entryStep;
      let weight = 0;
      for (let entry = entries[at] ?? end; entry < end; entry = entries[at] ?? end) {
        const occurrence = entry - slot * entryStep;
        const number = Math.floor(occurrence / occurrenceStep);
        const factor = factors[number];
        const length = table.lengths[slot]?.[number] ?? 0;
        if (factor !== undefined)
          weight +=
            (factor.weight * (occurrence % occurrenceStep)) / (factor.base + factor.slope * length);
        at += 1;
      }
      if (table.ids[slot] === undefined || visible.mask?.[slot] === 0) continue;
      slots.push(slot);
      scores.push(weight / (k1 + weight));
    }
    return { slots, scores };
  };
}

/** Computes the Robertson and Sparck Jones weight. Adding 1 keeps it positive, as in Lucene. */
function rarityOf(documents: number, all: number): number {
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
}

function forEachScore(
  { slots, scores }: Scores,
  visit: (slot: number, score: number) => void,
): void {
  for (let at = 0; at < slots.length; at += 1) visit(slots[at] ?? 0, scores[at] ?? 0);
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Accumulates scores by number. `take` returns the changed ones and resets them. */
interface Tally {
  values: Float64Array;
  add(at: number, score: number): void;
  raise(at: number, score: number): void;
  take(): Scores;
}

function createTally(capacity: number): Tally {
  const values = new Float64Array(capacity);
  let touched: number[] = [];
  const set = (at: number, score: number): void => {
    if (values[at] === 0) touched.push(at);
    values[at] = score;
  };
  return {
    values,
    add(at, score) {
      if (score > 0) set(at, (values[at] ?? 0) + score);
    },
    raise(at, score) {
      if (score > (values[at] ?? 0)) set(at, score);
    },
    take() {
      const slots = touched;
      const scores = slots.map((slot) => values[slot] ?? 0);
      touched = [];
      for (const slot of slots) values[slot] = 0;
      return { slots, scores };
    },
  };
}
