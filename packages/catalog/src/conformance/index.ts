export { catalogStoreConformance, type ConformanceRule } from "./catalog-store-conformance.ts";
export { searchIndexConformance } from "./search-index-conformance.ts";
export type { SearchIndexConformanceOptions } from "./search-rule.ts";
export type { CatalogStoreConformanceOptions } from "./store-rule.ts";
