import { occurrenceStep, type AnalyzedDocument } from "./analyze-document.ts";

/** Encodes an entry as `slot * entryStep + occurrence`. */
export const entryStep: number = 16 * occurrenceStep;

/**
 * Maps a term to its occurrences as ascending entries. Entries of removed documents remain and are
 * skipped.
 */
export type TextPostings = Map<string, number[]>;

/** Adds a document. Its slot must be higher than all earlier slots. */
export function addPostings(text: TextPostings, slot: number, document: AnalyzedDocument): void {
  for (const [at, term] of document.terms.entries()) {
    const entries = text.get(term) ?? [];
    text.set(term, entries);
    for (const occurrence of document.occurrences[at] ?? [])
      entries.push(slot * entryStep + occurrence);
  }
}
