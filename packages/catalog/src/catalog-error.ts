import { CclError } from "@ccl/core";

/**
 * `budget_exceeded` carries a breakdown in `details`. `damaged`: a record, a saved index or a folder is not what a
 * catalog wrote. For a folder, `details.issues` lists why. `conflict`: another process is writing the folder, or has
 * written it since it was read. `index_failed`, `import_failed`: see `cause`.
 */
export type CatalogErrorCode =
  | "invalid_options"
  | "invalid_budget"
  | "budget_exceeded"
  | "damaged"
  | "index_failed"
  | "import_failed"
  | "aborted"
  | "conflict";

/**
 * The error class of this package. Invalid records, files and model answers come back as a `Result`
 * instead.
 */
export class CatalogError extends CclError<CatalogErrorCode> {
  static override readonly brand: string = "CatalogError";
}
