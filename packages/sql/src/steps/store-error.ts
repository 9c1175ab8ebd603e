import { SqlError } from "../sql-error.ts";

/** An error class of a package whose stores may use a database. */
type StoreErrorClass = new (
  code: "aborted" | "store_damaged" | "store_failed",
  message: string,
  options: { cause: unknown },
) => Error;

/**
 * Converts a database failure to the store's own error. Any other error is returned unchanged. The
 * message begins with `store`.
 */
export function storeErrorOf(error: unknown, store: string, ErrorClass: StoreErrorClass): unknown {
  if (!SqlError.isInstance(error)) return error;
  const code =
    error.code === "aborted"
      ? "aborted"
      : error.code === "corrupt"
        ? "store_damaged"
        : "store_failed";
  return new ErrorClass(code, `${store} failed. ${error.message}`, { cause: error });
}
