import { SqlError } from "../sql-error.ts";

/** An error class of a package whose stores may use a database. */
type StoreErrorClass = new (
  code: "aborted" | "store_damaged" | "store_failed",
  message: string,
  options: { cause: unknown },
) => Error;

/**
 * Converts a failure of the database to the store's own error. Returns any other error unchanged. `store` begins the
 * message.
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
