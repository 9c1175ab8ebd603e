import { SearchError, type SearchErrorCode } from "@ccl/search";

import { CatalogError, type CatalogErrorCode } from "../catalog-error.ts";

const catalogCodes: Record<SearchErrorCode, CatalogErrorCode> = {
  invalid_options: "invalid_options",
  index_damaged: "damaged",
  aborted: "aborted",
};

/** Converts an error of @ccl/search to a `CatalogError`. Other errors are returned unchanged. */
export function catalogErrorOfSearch(error: unknown): unknown {
  if (!SearchError.isInstance(error)) return error;
  const { code, message, cause } = error;
  return new CatalogError(catalogCodes[code], message, { cause });
}
