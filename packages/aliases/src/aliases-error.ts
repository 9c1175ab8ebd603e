import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type AliasesErrorCode =
  /** The registry file has a format that neither this package nor AdaOS writes. */
  | "registry_corrupt"
  /** The registry file was written by a newer version. */
  | "registry_version_unsupported"
  /** Another program changed the registry file after this one read it. */
  | "registry_conflict"
  /** Another process held the registry's lock for too long. */
  | "registry_locked"
  /** The budget is too small even for the instruction. `details` has the token counts. */
  | "budget_exceeded"
  /** A file stored with the registry (the base) is damaged. */
  | "context_corrupt"
  /** A file of a pack changed after the pack was built and before it was accepted. */
  | "context_conflict"
  /** The operating system failed to read or write. `cause` has its error. */
  | "io_failed"
  /** The caller's signal was aborted. */
  | "aborted";

/**
 * The error class of this package. Invalid input that callers should expect comes back as a
 * `Result` instead.
 */
export class AliasesError extends CclError<AliasesErrorCode> {
  static override readonly brand: string = "AliasesError";
}
