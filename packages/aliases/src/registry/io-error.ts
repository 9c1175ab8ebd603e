import { CclError } from "@ccl/core";

import { AliasesError } from "../aliases-error.ts";

/** True for an error of the operating system with one of these codes. */
export function isErrorWithCode(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    codes.includes(error.code)
  );
}

/** Wraps an error of the operating system. Errors of this package pass through. `action` completes "Could not ...". */
export function toIoError(error: unknown, action: string): unknown {
  if (!(error instanceof Error) || AliasesError.isInstance(error)) return error;
  const message = CclError.isInstance(error)
    ? error.message
    : `Could not ${action}: ${error.message}`;
  return new AliasesError("io_failed", message, { cause: error });
}
