import { applyFilter, scratchOf, type Visible } from "../search/index-state.ts";
import type { QueryWord } from "../search/analyzer.ts";
import { findNearTerms } from "../search/near-terms.ts";
import {
  appendOccurrence,
  createTextPostings,
  fieldCount,
  occurrenceStep,
  termIdOf,
  type TextPostings,
} from "../search/postings.ts";
import { scoreText } from "../search/score-text.ts";
import type { SearchFilter, TextHits } from "../search/search-index.ts";
import type { TextWeights } from "../search/text-weights.ts";
import { blockSize } from "./index-tables.ts";
import type { IndexStateRow } from "./index-state-row.ts";
import { eachEntry } from "./posting-block.ts";
import type { ResidentDocuments } from "./resident-documents.ts";
import { termKeyOf } from "./sql-keys.ts";
import { rowsOf, type SqlDialect, type SqlRow, type SqlSteps } from "./sql-steps.ts";

/** Postings as the database has them, by the term that was asked for. */
export interface FoundPostings {
  term: string;
  rows: SqlRow[];
}

/** What a search for words has read. */
export interface TermsRead {
  state: IndexStateRow;
  found: FoundPostings[];
}

/** Every term that may meet one of the words, each once. */
export function termsOf(words: readonly QueryWord[]): string[] {
  return [
    ...new Set(words.flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms))),
  ];
}

/** Reads the postings of terms; those that no document has are left out. */
export function* readPostings(
  { inTexts }: SqlDialect,
  terms: readonly string[],
): SqlSteps<FoundPostings[]> {
  if (terms.length === 0) return [];
  const byKey = new Map(
    terms.map((term) => [termKeyOf(term), { term, rows: new Array<SqlRow>() }]),
  );
  const select = `SELECT term, block, entries FROM ccl_search_postings WHERE term ${inTexts} ORDER BY term, block`;
  for (const row of yield* rowsOf(select, JSON.stringify([...byKey.keys()])))
    byKey.get(String(row["term"]))?.rows.push(row);
  return [...byKey.values()].filter(({ rows }) => rows.length > 0);
}

/** Terms of the index that are written much like one of the words. */
export function* readNearTerms(words: readonly string[]): SqlSteps<string[]> {
  const near: string[] = [];
  for (const word of words) {
    const prefix = word.slice(0, prefixLength);
    if (prefix.length < prefixLength || !/^[a-zа-я]+$/.test(word)) continue;
    // Both letters stand before the last of Unicode in UTF-8, by which both databases compare.
    const select =
      "SELECT DISTINCT term FROM ccl_search_postings WHERE term >= ? AND term < ? ORDER BY term";
    const rows = yield* rowsOf(select, prefix, `${prefix}\u{10ffff}`);
    const terms = rows
      .map((row) => String(row["term"]))
      .filter((term) => /^[a-zа-я]{5,}$/.test(term));
    const buckets = new Map([[prefix, terms.map((_, at) => at)]]);
    for (const { id } of findNearTerms(buckets, terms, word)) near.push(terms[id] ?? "");
  }
  return near;
}

const prefixLength = 4;

/** What scoring works on: the postings that were read, over the documents at hand. */
export interface LoadedTerms {
  text: TextPostings;
  visible: Visible;
}

/** Fills the postings of a search from what was read. */
export function loadTerms(
  { state, slots }: ResidentDocuments,
  { state: row, found }: TermsRead,
  filter: SearchFilter | undefined,
): LoadedTerms {
  const { lengths, slotTerms } = state.text;
  const text: TextPostings = {
    ...createTextPostings(),
    lengths,
    slotTerms,
    totals: Float64Array.from(row.fieldTotals),
    documents: row.documents,
  };
  addTerms(text, slots, found);
  return { text, visible: applyFilter(state, filter) };
}

/** Adds postings that were read later in the same state. */
export function addTerms(
  text: TextPostings,
  slots: readonly (number | undefined)[],
  found: readonly FoundPostings[],
): void {
  for (const postings of found) addTerm(text, slots, postings);
}

function addTerm(
  text: TextPostings,
  slots: readonly (number | undefined)[],
  { term, rows }: FoundPostings,
): void {
  const postings = text.postings[termIdOf(text, term)];
  if (postings === undefined) return;
  for (const row of rows) {
    const first = Number(row["block"]) * blockSize;
    let last = -1;
    eachEntry(row["entries"], undefined, (place, { field, frequency, length }) => {
      const slot = slots[first + place];
      if (slot === undefined) return;
      if (place !== last) postings.documents += 1;
      last = place;
      appendOccurrence(postings, slot, field * occurrenceStep + frequency);
      text.lengths[slot * fieldCount + field] = length;
    });
  }
}

/** The words that no visible document has, as terms: what is written like them is looked for. */
export function missingWords(
  words: readonly QueryWord[],
  { text, visible: { mask } }: LoadedTerms,
): string[] {
  const isSeen = (term: string): boolean => {
    const postings = text.postings[text.termIds.get(term) ?? -1];
    if (postings === undefined || postings.documents === 0) return false;
    return (
      mask === undefined ||
      postings.slots.subarray(0, postings.size).some((slot) => mask[slot] === 1)
    );
  };
  return words
    .filter(
      ({ alternatives }) =>
        !alternatives.some(({ terms, isHint }) => isHint !== true && terms.some(isSeen)),
    )
    .flatMap(({ alternatives: [own] }) => own?.terms[0] ?? []);
}

/** Scores as the index in memory does. */
export function scoreTerms(
  { state }: ResidentDocuments,
  { text, visible: { mask, count, containerSizes } }: LoadedTerms,
  { words, weights, limit }: { words: readonly QueryWord[]; weights: TextWeights; limit: number },
): TextHits {
  const context = {
    text,
    weights,
    ids: state.ids,
    containers: state.containers,
    containerSizes,
    visible: mask,
    visibleCount: count,
    scratch: scratchOf(state),
  };
  return scoreText(context, words, limit);
}
