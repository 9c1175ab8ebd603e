export { createSearchIndex, type SearchIndexOptions } from "./create-search-index.ts";
export { compareHits, fuseHits, sumOf, type FusedExplanation } from "./fuse/fuse-hits.ts";
export { SearchError, type SearchErrorCode } from "./search-error.ts";
export type {
  Facet,
  FacetCount,
  FacetFilter,
  FacetQuery,
  SearchDocument,
  SearchFilter,
  SearchHit,
  SearchIndex,
  TextHits,
} from "./search-index.ts";
export { hasFacets, sortFacets } from "./table/document-table.ts";
export { countTerms, type CountedText } from "./text/count-terms.ts";
export type { TextWeights } from "./text/text-weights.ts";
export { createAnalyzer, type Analyzer } from "./words/analyzer.ts";
export { splitWords } from "./words/split-words.ts";
export { irregularFormsOf } from "./words/stem-word.ts";
