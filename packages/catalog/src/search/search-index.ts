import type { FacetCount, FacetQuery, SearchFilter, SearchHit, TextHits } from "@ccl/search";

import type { ResourceRecord } from "../record/resource-record.ts";

/** A record with its vector, ready to be indexed. */
export interface SearchDocument {
  record: ResourceRecord;
  /** Absent where there is no embedder, or it failed. */
  vector?: Float32Array | undefined;
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
  ): Promise<SearchHit[]>;
  /** Counts over all visible records, or over `ids` of them; most frequent first, ties by value, at most `limit` values each. */
  countFacets(
    query: FacetQuery,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Record<string, FacetCount[]>>;
}
