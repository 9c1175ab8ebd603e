import type { Analyzer } from "../words/analyzer.ts";

/** The terms of a text, to keep them for a later index. */
export interface CountedText {
  /** Number of terms, repetitions included. */
  length: number;
  counts: ReadonlyMap<string, number>;
}

/** Counts the terms of a text; the result may stand for the text in a document. */
export function countTerms(text: string, analyzer: Analyzer): CountedText {
  const counts = new Map<string, number>();
  const terms = analyzer.documentTerms(text);
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { length: terms.length, counts };
}
