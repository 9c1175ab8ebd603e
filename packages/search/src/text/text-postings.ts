import { occurrenceStep, type AnalyzedDocument } from "./analyze-document.ts";

/** An entry is `slot * entryStep + occurrence`. */
export const entryStep: number = 16 * occurrenceStep;

/** By term, ascending entries: where it occurs. Those of removed documents stay and are skipped. */
export interface TextPostings {
  keys(): IterableIterator<string>;
  get(term: string): number[] | undefined;
  set(term: string, entries: number[]): unknown;
}

/** Adds a document under a slot that is higher than all before. */
export function addPostings(text: TextPostings, slot: number, document: AnalyzedDocument): void {
  for (const [at, term] of document.terms.entries()) {
    const entries = text.get(term) ?? [];
    text.set(term, entries);
    for (const occurrence of document.occurrences[at] ?? [])
      entries.push(slot * entryStep + occurrence);
  }
}
