import { AliasesError } from "../aliases-error.ts";

/** True for an error of the operating system with one of these codes. */
export function isErrorWithCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}

/** Wraps what the operating system refused; errors of CCL pass through. `action` completes "Could not ...". */
export function toIoError(error: unknown, action: string): unknown {
  if (!(error instanceof Error) || AliasesError.isInstance(error)) return error;
  return new AliasesError("io_failed", `Could not ${action}: ${error.message}`, { cause: error });
}

/** Throws the package's `aborted` once the signal is. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AliasesError("aborted", "The call was aborted.", { cause: signal.reason });
}
