export type { CatalogReader } from "../catalog/create-catalog-reader.ts";
export {
  createCatalogSnapshot,
  type CatalogSnapshot,
  type CatalogSnapshotOptions,
} from "./create-catalog-snapshot.ts";
