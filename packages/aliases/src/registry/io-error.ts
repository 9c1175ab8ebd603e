import { CclError } from "@ccl/core";

import { AliasesError } from "../aliases-error.ts";

/** Wraps an operating system error. Returns this package's errors unchanged. `action` completes "Could not ...". */
export function toIoError(error: unknown, action: string): unknown {
  if (!(error instanceof Error) || AliasesError.isInstance(error)) return error;
  const message = CclError.isInstance(error)
    ? error.message
    : `Could not ${action}: ${error.message}`;
  return new AliasesError("io_failed", message, { cause: error });
}
