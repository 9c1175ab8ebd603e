import {
  type Catalog,
  CatalogError,
  createCatalog,
  listResources,
  type Principal,
  type ResourceRecord,
  restoreResources,
  type SearchIndex,
} from "@ccl/catalog";
import { createMemoryRecords } from "@ccl/records";

/**
 * A principal with all rights: anyone with access to the folder may read everything, including personal columns.
 * Prompts and pages do not use it.
 */
export const owner: Principal = { id: "owner", roles: ["owner"] };

/** A catalog in memory over a folder's records. Supports writes and lookups by id, but no text search. */
interface OpenedCatalog {
  catalog: Catalog;
  /** Returns the current records, ordered by id. */
  records(): Promise<ResourceRecord[]>;
}

/** Loads records into a catalog with their revisions. */
export async function openCatalog(
  records: readonly ResourceRecord[],
  { signal }: { signal: AbortSignal },
): Promise<OpenedCatalog> {
  const storage = createMemoryRecords();
  await restoreResources(storage, records, { signal });
  const roles = { owner: { details: true, pii: true }, public: { details: true } };
  const index = createNoSearchIndex();
  return {
    catalog: createCatalog({ records: storage, index, access: { roles } }),
    records: () => listResources(storage, { signal }),
  };
}

/** Creates an empty index for catalogs that are only written and read by id. */
function createNoSearchIndex(): SearchIndex {
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
