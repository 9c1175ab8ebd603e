import type { CountedText } from "./text/count-terms.ts";

/** A facet of a document and its value, such as `["kind", "table"]`. */
export type Facet = readonly [name: string, value: string];

/** The required value of each facet. If a list is given, any of its values matches. */
export type FacetFilter = Record<string, string | string[]>;

/** Restricts which documents can be found. Applied before ranking, counting and limits. */
export interface SearchFilter {
  facets?: FacetFilter | undefined;
  /** Ids to exclude. */
  exclude?: readonly string[] | undefined;
  /** The only ids that may be found. Defaults to all ids. */
  allow?: ReadonlySet<string> | undefined;
}

/** A document to index. */
export interface SearchDocument<Field extends string = string> {
  id: string;
  /** Texts by field, or terms counted earlier by `countTerms`. */
  texts: Readonly<Partial<Record<Field, string | CountedText>>>;
  /**
   * The group whose words also count for the document, such as a table's database. If absent, the
   * document has no group.
   */
  container?: string | undefined;
  facets?: readonly Facet[] | undefined;
  vector?: Float32Array | undefined;
}

/**
 * A document that was found, with its word score or vector score. Scores are comparable only within
 * one answer.
 */
export interface SearchHit {
  id: string;
  score: number;
  /**
   * Contribution of each word, keyed as written in the query. `/container` is the share from the
   * document's container. The parts add up to the score. Absent in a vector search.
   */
  parts?: Record<string, number> | undefined;
}

/** Documents found by words, best first. Ties are sorted by id in code units. */
export interface TextHits {
  hits: SearchHit[];
  /** Query words that occur in no visible document, as written in the query. */
  unmatchedTerms: string[];
  /** Share of the query's terms that occur in visible documents, weighted by rarity, 0..1. */
  coverage: number;
}

/** A facet value, and how often it occurs. */
export interface FacetCount {
  value: string;
  count: number;
}

/** The facets to count, and the documents to count them in. */
export interface FacetQuery {
  filter?: SearchFilter | undefined;
  /** Defaults to all visible documents. */
  ids?: readonly string[] | undefined;
  /** Defaults to all facets. */
  facets?: readonly string[] | undefined;
  /** Maximum number of values per facet. */
  limit: number;
}

/** An exact in-memory index. */
export interface SearchIndex<Field extends string = string> {
  /** Returns the number of documents. */
  size(): number;
  /**
   * Adds or replaces either all of the documents or none, after earlier changes have finished.
   * @throws SearchError `invalid_options` if vectors are not finite or differ in length, `aborted`
   */
  put(
    documents: readonly SearchDocument<Field>[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** Removes documents. Ignores unknown ids. */
  remove(ids: readonly string[], options?: { signal?: AbortSignal | undefined }): Promise<void>;
  searchText(query: { text: string; filter?: SearchFilter | undefined; limit: number }): TextHits;
  /** Ranks documents by cosine similarity, best first. */
  searchVector(query: {
    vector: Float32Array;
    filter?: SearchFilter | undefined;
    limit: number;
  }): SearchHit[];
  /** Counts facet values, sorted by descending count. Ties are sorted by value. */
  countFacets(query: FacetQuery): Record<string, FacetCount[]>;
  /**
   * Serializes the index. The same documents produce the same bytes, regardless of the order of
   * changes.
   */
  save(): Uint8Array;
  /**
   * Replaces the contents of the index. If it throws, the index is unchanged.
   * @throws SearchError `index_damaged` if the bytes changed, `invalid_options` if they were saved
   * by another version, with another analyzer or precision, or from an index with other fields
   */
  restore(bytes: Uint8Array): void;
}
