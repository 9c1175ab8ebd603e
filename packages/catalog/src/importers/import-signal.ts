import { CatalogError } from "../catalog-error.ts";

/** Wraps a failure of a source in this package's error. A `CatalogError` is returned unchanged. */
export function importFailure(source: string, error: unknown, signal?: AbortSignal): CatalogError {
  if (CatalogError.isInstance(error)) return error;
  if (signal?.aborted === true)
    return new CatalogError("aborted", "The call was aborted.", { cause: error });
  return new CatalogError("import_failed", `${source} could not be read; see the cause.`, {
    cause: error,
  });
}
