export type { CatalogReader } from "../catalog/create-catalog-reader.ts";
export {
  createCatalogSnapshot,
  type CatalogSnapshot,
  type CatalogSnapshotOptions,
  type SnapshotRecord,
} from "./create-catalog-snapshot.ts";
