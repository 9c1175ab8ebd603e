import { occurrenceStep, type AnalyzedDocument } from "./analyze-document.ts";

/** An entry is `slot * entryStep + occurrence`. */
export const entryStep: number = 16 * occurrenceStep;

/** Where the terms of documents occur, by slot: a document's place in its table. */
export interface TextPostings {
  /** By term, ascending. Those of removed documents stay and are skipped. */
  entries: Map<string, number[]>;
  /** Terms by slot and field. */
  lengths: number[][];
  /** Terms of all documents by field. */
  totals: number[];
  documents: number;
}

/** Postings of no document, with so many fields. */
export function createTextPostings(fieldCount: number): TextPostings {
  return {
    entries: new Map(),
    lengths: [],
    totals: Array.from({ length: fieldCount }, () => 0),
    documents: 0,
  };
}

/** Adds a document under a slot that is higher than all before. */
export function addPostings(text: TextPostings, slot: number, document: AnalyzedDocument): void {
  for (const [at, term] of document.terms.entries()) {
    const entries = text.entries.get(term) ?? [];
    text.entries.set(term, entries);
    for (const occurrence of document.occurrences[at] ?? [])
      entries.push(slot * entryStep + occurrence);
  }
  addLengths(text, slot, document.lengths);
}

/** Adds a document whose entries are added apart. */
export function addLengths(text: TextPostings, slot: number, lengths: number[]): void {
  text.lengths[slot] = lengths;
  text.totals = text.totals.map((total, field) => total + (lengths[field] ?? 0));
  text.documents += 1;
}

/** Removes a document from the totals. */
export function removePostings(text: TextPostings, slot: number): void {
  const lengths = text.lengths[slot] ?? [];
  text.totals = text.totals.map((total, field) => total - (lengths[field] ?? 0));
  text.lengths[slot] = [];
  text.documents -= 1;
}
