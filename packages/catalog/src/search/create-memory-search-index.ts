import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted } from "@ccl/core/async";
import { createAnalyzer, createSearchIndex, type SearchIndexOptions } from "@ccl/search";

import { catalogErrorOfSearch } from "./search-errors.ts";
import type { SearchIndex } from "./search-index.ts";
import { containerOf, facetsOf, searchableFields, type SearchField } from "./searchable-fields.ts";
import { textWeights } from "./text-weights.ts";

/** Options of an index in memory. By default the weights with the best measured results. */
export type MemorySearchIndexOptions = Partial<SearchIndexOptions<SearchField>>;

/**
 * An exact index in memory: BM25F over fields with a share of the container's score, and cosine
 * over all vectors.
 */
export interface MemorySearchIndex extends SearchIndex {
  /** Returns the number of documents. */
  size(): number;
  /** Serializes the index. The same documents give the same bytes, whatever the order of changes. */
  save(): Uint8Array;
  /**
   * Replaces the content of the index. If it throws, the index is unchanged.
   * @throws CatalogError `damaged` if the bytes have changed since `save`, `invalid_options`
   * if they were saved by another version, or with another analyzer or precision
   */
  restore(bytes: Uint8Array): void;
}

/** In questions to a catalog, two adjacent words rarely mean one identifier. Measured by `bench/catalog-mixed.mjs`. */
const analyzer = createAnalyzer({ joinedWeight: 0.25 });

/**
 * Creates an empty index. Changes are atomic and applied one at a time. An aborted change rejects
 * with `aborted`. A vector that is not finite, or whose length differs from the others, rejects
 * with `invalid_options`.
 */
export function createMemorySearchIndex(options: MemorySearchIndexOptions = {}): MemorySearchIndex {
  const index = createSearchIndex({ ...textWeights, analyzer, ...options });
  const guarded = async <Value>(
    signal: AbortSignal | undefined,
    call: () => Value | Promise<Value>,
  ): Promise<Value> => {
    throwIfAborted(signal, CatalogError);
    try {
      return await call();
    } catch (error) {
      throw catalogErrorOfSearch(error);
    }
  };
  return {
    name: "memory",
    size: index.size,
    save: index.save,
    restore(bytes) {
      try {
        index.restore(bytes);
      } catch (error) {
        throw catalogErrorOfSearch(error);
      }
    },
    put: (documents, call = {}) =>
      guarded(call.signal, () =>
        index.put(
          documents.map(({ record, vector }) => ({
            id: record.id,
            texts: searchableFields(record),
            container: containerOf(record),
            facets: facetsOf(record),
            vector,
          })),
          call,
        ),
      ),
    remove: (ids, call = {}) => guarded(call.signal, () => index.remove(ids, call)),
    searchText: (query, { signal } = {}) => guarded(signal, () => index.searchText(query)),
    searchVector: (query, { signal } = {}) => guarded(signal, () => index.searchVector(query)),
    countFacets: (query, { signal } = {}) => guarded(signal, () => index.countFacets(query)),
  };
}
