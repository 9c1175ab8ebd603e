export { catalogStoreConformance } from "./catalog-store-conformance.ts";
