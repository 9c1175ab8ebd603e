import { CatalogError } from "../catalog-error.ts";

/** Ends an import whose signal was aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new CatalogError("aborted", "The call was aborted.", { cause: signal.reason });
}

/** A failure of a source as this package's error; what is one already stays as it is. */
export function importFailure(source: string, error: unknown, signal?: AbortSignal): CatalogError {
  if (CatalogError.isInstance(error)) return error;
  if (signal?.aborted === true)
    return new CatalogError("aborted", "The call was aborted.", { cause: error });
  return new CatalogError("import_failed", `${source} could not be read; see the cause.`, {
    cause: error,
  });
}
