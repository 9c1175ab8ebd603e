import { rowsOf, type SqlRow, type SqlSteps } from "@ccl/sql";
import type { QueryWord, SearchFilter } from "@ccl/search";
import {
  entryStep,
  findNearTerms,
  findVisible,
  nearPrefixLength,
  occurrenceStep,
  type TextPostings,
  type Visible,
} from "@ccl/search/engine";

import { blockSize } from "./index-tables.ts";
import { eachEntry } from "./posting-block.ts";
import type { ResidentDocuments } from "./resident-documents.ts";
import { termKeyOf } from "./sql-keys.ts";
import { type SqlDialect } from "./sql-dialect.ts";

/** Postings as the database has them, by the term that was asked for. */
export interface FoundPostings {
  term: string;
  rows: SqlRow[];
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
    const prefix = word.slice(0, nearPrefixLength);
    if (prefix.length < nearPrefixLength || !/^[a-zа-я]+$/.test(word)) continue;
    // Both letters stand before the last of Unicode in UTF-8, by which both databases compare.
    const select =
      "SELECT DISTINCT term FROM ccl_search_postings WHERE term >= ? AND term < ? ORDER BY term";
    const rows = yield* rowsOf(select, prefix, `${prefix}\u{10ffff}`);
    const terms = rows.map((row) => String(row["term"]));
    near.push(...findNearTerms(terms, word).map(({ term }) => term));
  }
  return near;
}

/** What scoring works on: the postings that were read, over the documents at hand. */
export interface LoadedTerms {
  text: TextPostings;
  visible: Visible;
}

/** Fills the postings of a search from what was read. */
export function loadTerms(
  { table, slots }: ResidentDocuments,
  found: readonly FoundPostings[],
  filter: SearchFilter | undefined,
): LoadedTerms {
  const text: TextPostings = new Map();
  addTerms(text, slots, found);
  return { text, visible: findVisible(table, filter) };
}

/** Adds postings that were read later in the same state. */
export function addTerms(
  text: TextPostings,
  slots: readonly (number | undefined)[],
  found: readonly FoundPostings[],
): void {
  for (const { term, rows } of found) {
    const entries: number[] = [];
    for (const row of rows) {
      const first = Number(row["block"]) * blockSize;
      eachEntry(row["entries"], undefined, (place, { field, frequency }) => {
        const slot = slots[first + place];
        if (slot === undefined) return;
        entries.push(slot * entryStep + field * occurrenceStep + frequency);
      });
    }
    text.set(
      term,
      entries.sort((left, right) => left - right),
    );
  }
}

/** The words that no visible document has, as terms: what is written like them is searched for. */
export function missingWords(
  words: readonly QueryWord[],
  { text, visible: { mask } }: LoadedTerms,
): string[] {
  const isSeen = (term: string): boolean =>
    (text.get(term) ?? []).some((entry) => mask?.[Math.floor(entry / entryStep)] !== 0);
  return words
    .filter(
      ({ alternatives }) =>
        !alternatives.some(({ terms, isHint }) => isHint !== true && terms.some(isSeen)),
    )
    .flatMap(({ alternatives: [own] }) => own?.terms[0] ?? []);
}
