import { RecordsError, type RecordsErrorCode } from "@ccl/records";
import { SqlError } from "@ccl/sql";

import { OperationsError, type OperationsErrorCode } from "../operations-error.ts";

const codes: Partial<Record<RecordsErrorCode | SqlError["code"], OperationsErrorCode>> = {
  aborted: "aborted",
  closed: "closed",
  conflict: "version_conflict",
  damaged: "store_damaged",
  invalid_options: "invalid_options",
};

/** Converts an error of the database or of records. Any other error is returned as it is. */
export function operationsErrorOf(error: unknown): unknown {
  const isOfDatabase = SqlError.isInstance(error);
  if (!isOfDatabase && !RecordsError.isInstance(error)) return error;
  const message = isOfDatabase ? `The database failed. ${error.message}` : error.message;
  return new OperationsError(codes[error.code] ?? "store_failed", message, { cause: error });
}
