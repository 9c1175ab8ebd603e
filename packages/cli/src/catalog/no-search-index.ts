import { CatalogError, type SearchIndex } from "@ccl/catalog";

/** For catalogs that are only written and read by ids: what is never asked need not be filled. */
export function createNoSearchIndex(): SearchIndex {
  const refuse = (): Promise<never> =>
    Promise.reject(new CatalogError("index_failed", "This catalog was opened without search."));
  return {
    name: "none",
    put: async () => undefined,
    remove: async () => undefined,
    searchText: refuse,
    searchVector: refuse,
    countFacets: refuse,
  };
}
