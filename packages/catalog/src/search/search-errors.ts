import { SearchError, type SearchErrorCode } from "@ccl/search";

import { CatalogError, type CatalogErrorCode } from "../catalog-error.ts";

const catalogCodes: Record<SearchErrorCode, CatalogErrorCode> = {
  invalid_options: "invalid_options",
  index_damaged: "store_damaged",
  aborted: "aborted",
};

/** The catalog's error for one of @ccl/search; other errors are returned as they are. */
export function catalogErrorOfSearch(error: unknown): unknown {
  if (!SearchError.isInstance(error)) return error;
  const { code, message, cause } = error;
  return new CatalogError(catalogCodes[code], message, { cause });
}

/** The error for an index in a database that is not what was written. */
export function damagedIndex(reason: string): CatalogError {
  return new CatalogError(
    "store_damaged",
    `The saved index is damaged: ${reason}. Build it again from the records.`,
  );
}
