import type { QueryWord, TermAlternative } from "./analyzer.ts";
import { findNearTerms } from "./near-terms.ts";
import { refreshImpacts, type TermPostings, type TextPostings } from "./postings.ts";
import type { TextWeights } from "./text-weights.ts";

/** What weighing needs besides the word. */
export interface WordContext {
  text: TextPostings;
  weights: TextWeights;
  /** One byte a slot, 1 where it may be found; all live slots where absent. */
  visible: Uint8Array | undefined;
  visibleCount: number;
}

/** A term with its rarity times its weight. */
interface WeighedTerm {
  postings: TermPostings;
  factor: number;
}

/** Terms whose scores add up. */
export type WeighedAlternative = readonly WeighedTerm[];

/** The ways to meet a word that the visible documents offer. */
export interface WordWeight {
  alternatives: WeighedAlternative[];
  /** Of the best way that is more than a hint; that of a word that nothing has otherwise. */
  rarity: number;
  /** True where a visible document has the word itself, or what stands for it. */
  isFound: boolean;
}

/** Looks a word up. Rarity is counted over the visible documents, so that hidden ones have no say. */
export function weighWord(context: WordContext, { alternatives }: QueryWord): WordWeight {
  const found: WeighedAlternative[] = [];
  let rarity = 0;
  for (const alternative of alternatives) {
    const terms = weighTerms(context, alternative);
    if (terms.length === 0) continue;
    found.push(terms);
    if (alternative.isHint !== true)
      rarity = Math.max(rarity, ...terms.map(({ factor }) => factor));
  }
  if (rarity > 0) return { alternatives: found, rarity, isFound: true };
  const own = alternatives[0];
  if (own === undefined) return { alternatives: found, rarity: 0, isFound: false };
  for (const near of nearAlternatives(context, own)) {
    const terms = weighTerms(context, near);
    if (terms.length > 0) found.push(terms);
  }
  return {
    alternatives: found,
    rarity: own.weight * rarityOf(0, context.visibleCount),
    isFound: false,
  };
}

function nearAlternatives({ text, weights }: WordContext, own: TermAlternative): TermAlternative[] {
  return findNearTerms(text.buckets, text.terms, own.terms[0] ?? "").map(({ id, likeness }) => ({
    terms: [text.terms[id] ?? ""],
    weight: own.weight * likeness * weights.nearTerms,
  }));
}

function weighTerms(context: WordContext, { terms, weight }: TermAlternative): WeighedTerm[] {
  const weighed: WeighedTerm[] = [];
  for (const term of terms) {
    const postings = context.text.postings[context.text.termIds.get(term) ?? -1];
    if (postings === undefined || postings.documents === 0) continue;
    refreshImpacts(context.text, postings, context.weights);
    const documents = countVisible(postings, context.visible);
    if (documents === 0) continue;
    weighed.push({
      postings,
      factor: (weight * rarityOf(documents, context.visibleCount)) / terms.length,
    });
  }
  return weighed;
}

function countVisible(postings: TermPostings, visible: Uint8Array | undefined): number {
  if (visible === undefined) return postings.documents;
  let count = 0;
  for (let at = 0; at < postings.documents; at += 1)
    count += visible[postings.impactSlots[at] ?? 0] ?? 0;
  return count;
}

/** Robertson and Sparck Jones's weight, kept above zero by adding 1 as Lucene does. */
function rarityOf(documents: number, all: number): number {
  return Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
}
