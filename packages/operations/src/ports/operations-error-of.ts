import { RecordsError } from "@ccl/records";
import { SqlError } from "@ccl/sql";

import { OperationsError } from "../operations-error.ts";

/** Database error codes that have the same meaning here. */
const codes = ["aborted", "closed", "damaged", "disk_full", "read_only"] as const;

/** Converts an error of the database or of records. Returns any other error as is. */
export function operationsErrorOf(error: unknown): unknown {
  const cause = { cause: error };
  if (RecordsError.isInstance(error)) return new OperationsError(error.code, error.message, cause);
  if (!SqlError.isInstance(error)) return error;
  const code = codes.find((one) => one === error.code) ?? "unavailable";
  return new OperationsError(code, `The database failed. ${error.message}`, cause);
}
