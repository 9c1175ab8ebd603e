import type { SearchDocument } from "../search-index.ts";
import type { Analyzer } from "../words/analyzer.ts";
import { countTerms } from "./count-terms.ts";

/** Encodes an occurrence as `field * occurrenceStep + frequency`. Frequencies stay below this. */
export const occurrenceStep = 4096;

/** A document as the terms that make up its postings. */
export interface AnalyzedDocument {
  /** The distinct terms. */
  terms: string[];
  /** The occurrences of each term, encoded as `field * occurrenceStep + frequency`, by ascending field. */
  occurrences: number[][];
  /** Number of terms by field. */
  lengths: number[];
}

/** Splits the fields of a document into terms. */
export function analyzeDocument(
  texts: SearchDocument["texts"],
  fields: readonly string[],
  analyzer: Analyzer,
): AnalyzedDocument {
  const byTerm = new Map<string, number[]>();
  const lengths = fields.map((name, field) => {
    const text = texts[name] ?? "";
    const { counts, length } = typeof text === "string" ? countTerms(text, analyzer) : text;
    for (const [term, count] of counts) {
      const occurrence = field * occurrenceStep + Math.min(count, occurrenceStep - 1);
      const occurrences = byTerm.get(term);
      if (occurrences === undefined) byTerm.set(term, [occurrence]);
      else occurrences.push(occurrence);
    }
    return length;
  });
  return { terms: [...byTerm.keys()], occurrences: [...byTerm.values()], lengths };
}
