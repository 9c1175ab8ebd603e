export {
  catalogStoreConformance,
  type CatalogStoreConformanceOptions,
  type ConformanceRule,
} from "./catalog-store-conformance.ts";
