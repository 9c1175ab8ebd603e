import type { ResourceRecord } from "../record/resource-record.ts";

/** Facets by name (`kind`, `owner`, `cap`, `lifecycle`, `tag`, or what stands before the colon of a tag), any of the values. */
export type FacetFilter = Record<string, string | string[]>;

/** Which records may be found at all; applied before ranking, counting and limits. */
export interface SearchFilter {
  facets?: FacetFilter | undefined;
  /** Ids to leave out. */
  exclude?: readonly string[] | undefined;
  /** The only ids that the principal may see; all where absent. */
  allow?: ReadonlySet<string> | undefined;
}

/** A record with its vector, ready to be indexed. */
export interface SearchDocument {
  record: ResourceRecord;
  /** Absent where there is no embedder, or it failed. */
  vector?: Float32Array | undefined;
}

/** A found record with the score of one leg, not normalised. */
export interface LegHit {
  id: string;
  score: number;
  /** What it is made of, by field or term; for `explain`. */
  parts?: Record<string, number> | undefined;
}

/** What the text leg found, best first, ties by id in code units. */
export interface TextHits {
  hits: LegHit[];
  /** Words of the query that no visible record has, as the query wrote them. */
  unmatchedTerms: string[];
  /** Share of the query's terms, weighted by their rarity, that the visible records have: 0..1. */
  coverage: number;
}

/** How often a value of a facet occurs. */
export interface FacetCount {
  value: string;
  count: number;
}

/** What a catalog asks of an index. Everything honours the filter; nothing that it hides can be counted or found. */
export interface SearchIndex {
  name: string;
  /** Adds or replaces. */
  put(
    documents: readonly SearchDocument[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  remove(ids: readonly string[], options?: { signal?: AbortSignal | undefined }): Promise<void>;
  searchText(
    query: { text: string; filter?: SearchFilter | undefined; limit: number },
    options?: { signal?: AbortSignal | undefined },
  ): Promise<TextHits>;
  searchVector(
    query: { vector: Float32Array; filter?: SearchFilter | undefined; limit: number },
    options?: { signal?: AbortSignal | undefined },
  ): Promise<LegHit[]>;
  /** Counts over all visible records, or over `ids` of them; most frequent first, ties by value, at most `limit` values each. */
  countFacets(
    query: {
      filter?: SearchFilter | undefined;
      ids?: readonly string[] | undefined;
      facets?: readonly string[] | undefined;
      limit: number;
    },
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Record<string, FacetCount[]>>;
}
