import { CatalogError } from "../catalog-error.ts";

/** A failure of a source as this package's error; what is one already stays as it is. */
export function importFailure(source: string, error: unknown, signal?: AbortSignal): CatalogError {
  if (CatalogError.isInstance(error)) return error;
  if (signal?.aborted === true)
    return new CatalogError("aborted", "The call was aborted.", { cause: error });
  return new CatalogError("import_failed", `${source} could not be read; see the cause.`, {
    cause: error,
  });
}
