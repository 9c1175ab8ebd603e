export { checkLimit } from "../search-error.ts";
export {
  addDocument,
  countFacets,
  createDocumentTable,
  findVisible,
  hasFacets,
  needsCompaction,
  removeDocument,
  sortFacets,
  type DocumentTable,
  type Visible,
} from "../table/document-table.ts";
export {
  analyzeDocument,
  occurrenceStep,
  type AnalyzedDocument,
} from "../text/analyze-document.ts";
export { findNearTerms, nearPrefixLength } from "../text/near-terms.ts";
export { scoreText } from "../text/score-text.ts";
export { selectTop, type ScoredSlot } from "../text/select-top.ts";
export { entryStep, type TextPostings } from "../text/text-postings.ts";
export {
  checkVector,
  createVectorTable,
  removeVector,
  scoreVectors,
  unitOf,
  type VectorTable,
} from "../vectors/vector-table.ts";
