import { SqlError } from "../sql-error.ts";

/** An error class of a package whose stores may stand on a database. */
type StoreErrorClass = new (
  code: "aborted" | "store_damaged" | "store_failed",
  message: string,
  options: { cause: unknown },
) => Error;

/** A failure of the database as the store's own; any other error stays as it is. `store` begins the message. */
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
