import { RecordsError, type RecordsErrorCode } from "@ccl/records";
import { SqlError, storeErrorOf } from "@ccl/sql";

import { OperationsError, type OperationsErrorCode } from "../operations-error.ts";

const codes: Partial<Record<RecordsErrorCode, OperationsErrorCode>> = {
  aborted: "aborted",
  closed: "closed",
  conflict: "version_conflict",
  damaged: "store_damaged",
  invalid_options: "invalid_options",
};

/** Converts an error of the database or of records. Any other error is returned as it is. */
export function operationsErrorOf(error: unknown): unknown {
  const cause = { cause: error };
  if (RecordsError.isInstance(error))
    return new OperationsError(codes[error.code] ?? "store_failed", error.message, cause);
  if (SqlError.isInstance(error) && error.code === "closed")
    return new OperationsError("closed", error.message, cause);
  return storeErrorOf(error, "The database", OperationsError);
}
