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

/** Whoever has the folder sees what stands in it, personal columns too. What goes into a prompt or a page is asked without. */
export const owner: Principal = { id: "owner", roles: ["owner"] };

/** A catalog in memory over the records of a folder, which can be written and asked by ids, not by words. */
interface OpenedCatalog {
  catalog: Catalog;
  /** By id, as they are now. */
  records(): Promise<ResourceRecord[]>;
}

/** Puts records into a catalog as they stand: revisions go on from where they were. */
export async function openCatalog(
  records: readonly ResourceRecord[],
  { signal }: { signal: AbortSignal },
): Promise<OpenedCatalog> {
  const kept = createMemoryRecords();
  await restoreResources(kept, records, { signal });
  const roles = { owner: { details: true, pii: true }, public: { details: true } };
  const index = createNoSearchIndex();
  return {
    catalog: createCatalog({ records: kept, index, access: { roles } }),
    records: () => listResources(kept, { signal }),
  };
}

/** For catalogs that are only written and read by ids: what is never asked need not be filled. */
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
