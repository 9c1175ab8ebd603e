export { catalogStoreConformance } from "./catalog-store-conformance.ts";
export { searchIndexConformance } from "./search-index-conformance.ts";
