import { CatalogError } from "../catalog-error.ts";

/** Wraps an error from a source in a `CatalogError`. Returns a `CatalogError` unchanged. */
export function importFailure(source: string, error: unknown, signal?: AbortSignal): CatalogError {
  if (CatalogError.isInstance(error)) return error;
  if (signal?.aborted === true)
    return new CatalogError("aborted", "The call was aborted.", { cause: error });
  return new CatalogError("import_failed", `${source} could not be read; see the cause.`, {
    cause: error,
  });
}
