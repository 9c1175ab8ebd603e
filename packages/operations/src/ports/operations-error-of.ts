import { RecordsError } from "@ccl/records";
import { SqlError } from "@ccl/sql";

import { OperationsError, type OperationsErrorCode } from "../operations-error.ts";

/** How a database names the causes that have a code here. */
const codes = new Map<string, OperationsErrorCode>([
  ["aborted", "aborted"],
  ["closed", "closed"],
  ["corrupt", "damaged"],
  ["disk_full", "disk_full"],
  ["read_only", "read_only"],
]);

/** Converts an error of the database or of records. Any other error is returned as it is. */
export function operationsErrorOf(error: unknown): unknown {
  const cause = { cause: error };
  if (RecordsError.isInstance(error)) return new OperationsError(error.code, error.message, cause);
  if (!SqlError.isInstance(error)) return error;
  const code = codes.get(error.code) ?? "unavailable";
  return new OperationsError(code, `The database failed. ${error.message}`, cause);
}
