import type { Analyzer } from "./analyzer.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { occurrenceStep } from "./postings.ts";
import { searchableFields, searchFields } from "./searchable-fields.ts";

/** A record as terms: what postings are made of. */
export interface AnalyzedDocument {
  /** Each term once. */
  terms: string[];
  /** For each term its occurrences, `field * occurrenceStep + frequency`, fields ascending. */
  occurrences: number[][];
  /** Terms by field. */
  lengths: number[];
}

/** Makes terms of the fields of a record. */
export function analyzeDocument(record: ResourceRecord, analyzer: Analyzer): AnalyzedDocument {
  const fields = searchableFields(record);
  const byTerm = new Map<string, number[]>();
  const lengths = searchFields.map((field, at) => {
    const terms = analyzer.documentTerms(fields[field] ?? "");
    for (const term of terms) countTerm(byTerm, term, at);
    return terms.length;
  });
  return { terms: [...byTerm.keys()], occurrences: [...byTerm.values()], lengths };
}

function countTerm(byTerm: Map<string, number[]>, term: string, field: number): void {
  const first = field * occurrenceStep + 1;
  const occurrences = byTerm.get(term);
  if (occurrences === undefined) {
    byTerm.set(term, [first]);
    return;
  }
  const last = occurrences[occurrences.length - 1] ?? 0;
  if (last < field * occurrenceStep) occurrences.push(first);
  else if (last % occurrenceStep < occurrenceStep - 1)
    occurrences[occurrences.length - 1] = last + 1;
}
