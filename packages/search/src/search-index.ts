import type { CountedText } from "./text/count-terms.ts";

/** A facet of a document and its value, like `["kind", "table"]`. */
export type Facet = readonly [name: string, value: string];

/** By the name of a facet: the value, or any of the values. */
export type FacetFilter = Record<string, string | string[]>;

/** Which documents may be found at all; applied before ranking, counting and limits. */
export interface SearchFilter {
  facets?: FacetFilter | undefined;
  /** Ids to leave out. */
  exclude?: readonly string[] | undefined;
  /** The only ids that may be found; all where absent. */
  allow?: ReadonlySet<string> | undefined;
}

/** What is indexed under an id. */
export interface SearchDocument<Field extends string = string> {
  id: string;
  /** Texts by field, or their terms as `countTerms` counted them earlier. */
  texts: Readonly<Partial<Record<Field, string | CountedText>>>;
  /** What it shares words with, such as the database of a table; it stands alone where absent. */
  container?: string | undefined;
  facets?: readonly Facet[] | undefined;
  vector?: Float32Array | undefined;
}

/** A found document with its score by words or by vectors; comparable within one answer only. */
export interface SearchHit {
  id: string;
  score: number;
  /**
   * What each word of the query added, as the query wrote it; `/container` is the share of the document's container.
   * They sum up to the score. Absent for vectors.
   */
  parts?: Record<string, number> | undefined;
}

/** Documents found by words, best first, ties by id in code units. */
export interface TextHits {
  hits: SearchHit[];
  /** Words of the query that no visible document has, as the query wrote them. */
  unmatchedTerms: string[];
  /** Share of the query's terms, weighted by their rarity, that the visible documents have: 0..1. */
  coverage: number;
}

/** How often a value of a facet occurs. */
export interface FacetCount {
  value: string;
  count: number;
}

/** Which facets are counted, over which documents. */
export interface FacetQuery {
  filter?: SearchFilter | undefined;
  /** All visible documents where absent. */
  ids?: readonly string[] | undefined;
  /** All facets where absent. */
  facets?: readonly string[] | undefined;
  /** Values at most, for each facet. */
  limit: number;
}

/** An exact index in memory. */
export interface SearchIndex<Field extends string = string> {
  /** Number of documents. */
  size(): number;
  /**
   * Adds or replaces documents, all or none, after the changes that were asked for before.
   * @throws SearchError `invalid_options` for vectors that are not finite or differ in length; `aborted`
   */
  put(
    documents: readonly SearchDocument<Field>[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  /** Removes documents; unknown ids are ignored. */
  remove(ids: readonly string[], options?: { signal?: AbortSignal | undefined }): Promise<void>;
  searchText(query: { text: string; filter?: SearchFilter | undefined; limit: number }): TextHits;
  /** By cosine, best first. */
  searchVector(query: {
    vector: Float32Array;
    filter?: SearchFilter | undefined;
    limit: number;
  }): SearchHit[];
  /** Most frequent first, ties by value. */
  countFacets(query: FacetQuery): Record<string, FacetCount[]>;
  /** The index as bytes, the same for the same documents whatever the order of changes. */
  save(): Uint8Array;
  /**
   * Replaces what the index holds.
   * @throws SearchError `index_damaged` if the bytes are not what was saved, `invalid_options` if another version,
   * analyzer or precision, or an index of other fields saved them; the index then stays as it is
   */
  restore(bytes: Uint8Array): void;
}
