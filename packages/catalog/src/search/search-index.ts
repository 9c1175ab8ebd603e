import type { FacetCount, FacetQuery, SearchFilter, SearchHit, TextHits } from "@ccl/search";

import type { ResourceRecord } from "../record/resource-record.ts";

/** A record with its vector, to be indexed. */
export interface SearchDocument {
  record: ResourceRecord;
  /** Absent if there is no embedder, or if it failed. */
  vector?: Float32Array | undefined;
}

/** The index that a catalog needs. Every call applies the filter: hidden records can be neither counted nor found. */
export interface SearchIndex {
  name: string;
  /** Adds or replaces documents. */
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
  ): Promise<SearchHit[]>;
  /**
   * Counts over all visible records, or over those in `ids`. Sorted by count, ties by value, with
   * up to `limit` values each.
   */
  countFacets(
    query: FacetQuery,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Record<string, FacetCount[]>>;
}
