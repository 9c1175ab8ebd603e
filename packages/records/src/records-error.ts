import { CclError } from "@ccl/core";

/** Why a call to this package failed. All backends use the same code for the same cause. */
export type RecordsErrorCode =
  /** Another writer changed the record or log first, or holds the lease. Nothing was written. */
  | "conflict"
  /**
   * The stored data differs from what was written. `details` contains the location. `salvageRecords` copies the rest.
   */
  | "damaged"
  | "disk_full"
  | "read_only"
  /** The backend failed in another way. See `cause`. */
  | "unavailable"
  /** The store was written by a newer version of this package. */
  | "newer_format"
  | "invalid_options"
  | "closed"
  | "aborted";

/** The error that this package throws. */
export class RecordsError extends CclError<RecordsErrorCode> {
  static override readonly brand: string = "RecordsError";
}

/** Maps error names of systems, databases and lower packages to codes. */
const codes = new Map<unknown, RecordsErrorCode>([
  ...["ENOSPC", "EDQUOT", "53100", "disk_full"].map((code) => [code, "disk_full"] as const),
  ...["EROFS", "EACCES", "EPERM", "25006", "read_only"].map((code) => [code, "read_only"] as const),
  ["damaged", "damaged"],
  ["schema_newer", "newer_format"],
  ["closed", "closed"],
  ["aborted", "aborted"],
]);

/** Converts a backend's failure to an error of this package. */
export function recordsErrorOf(error: unknown): RecordsError {
  if (RecordsError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  let code: RecordsErrorCode | undefined;
  for (let at = error; at instanceof Error && code === undefined; at = at.cause)
    code = "code" in at ? codes.get(at.code) : undefined;
  return new RecordsError(code ?? "unavailable", `The records can't be used. ${message}`, {
    cause: error,
  });
}
