import { CclError } from "@ccl/core";

/** Why a call of this package failed. Every backend reports a cause by the same code. */
export type RecordsErrorCode =
  /** Another writer changed the record or log first, or holds the lease. Nothing was written. */
  | "conflict"
  /** What is stored is not what was written. `details` say where. `salvageRecords` copies the rest. */
  | "damaged"
  | "disk_full"
  | "read_only"
  /** The backend failed in another way. See `cause`. */
  | "unavailable"
  /** A newer version of this package wrote the store. */
  | "newer_format"
  | "invalid_options"
  | "closed"
  | "aborted";

/** What this package throws. */
export class RecordsError extends CclError<RecordsErrorCode> {
  static override readonly brand: string = "RecordsError";
}

/** How systems, databases and the packages below name these causes. */
const codes = new Map<unknown, RecordsErrorCode>([
  ...["ENOSPC", "EDQUOT", "53100", "disk_full"].map((code) => [code, "disk_full"] as const),
  ...["EROFS", "EACCES", "EPERM", "25006", "read_only"].map((code) => [code, "read_only"] as const),
  ["damaged", "damaged"],
  ["schema_newer", "newer_format"],
  ["closed", "closed"],
  ["aborted", "aborted"],
]);

/** Converts a failure of a backend to an error of this package. */
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
