export {
  catalogStoreConformance,
  type CatalogStoreConformanceOptions,
  type ConformanceRule,
} from "./catalog-store-conformance.ts";
export {
  searchIndexConformance,
  type SearchIndexConformanceOptions,
} from "./search-index-conformance.ts";
