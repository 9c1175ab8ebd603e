import type { Analyzer } from "../words/analyzer.ts";

/** The counted terms of a document's text. Callers can store them for use in a later index. */
export interface CountedText {
  /** Number of terms, including repetitions. */
  length: number;
  counts: ReadonlyMap<string, number>;
}

/** Counts the terms in text. A document accepts the result in place of the text. */
export function countTerms(text: string, analyzer: Analyzer): CountedText {
  const counts = new Map<string, number>();
  const terms = analyzer.documentTerms(text);
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { length: terms.length, counts };
}
