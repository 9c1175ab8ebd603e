import { CclError } from "@ccl/core";

/**
 * `budget_exceeded` carries a breakdown in `details`. `store_damaged`: a stored record or a saved index is not what a
 * catalog wrote. `index_failed`, `import_failed`: see `cause`. `catalog_damaged`: the files of a catalog's folder are
 * inconsistent, and `details.issues` lists why. `catalog_conflict`: another process is writing the folder, or has
 * written it since it was read.
 */
export type CatalogErrorCode =
  | "invalid_options"
  | "invalid_budget"
  | "budget_exceeded"
  | "store_damaged"
  | "index_failed"
  | "import_failed"
  | "client_missing"
  | "aborted"
  | "catalog_damaged"
  | "catalog_conflict";

/**
 * The error class of this package. Invalid records, files and model answers come back as a `Result`
 * instead.
 */
export class CatalogError extends CclError<CatalogErrorCode> {
  static override readonly brand: string = "CatalogError";
}
