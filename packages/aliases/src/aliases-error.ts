import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type AliasesErrorCode =
  /** The registry file is not what this package or AdaOS writes. */
  | "registry_corrupt"
  /** The registry file was written by a newer version. */
  | "registry_version_unsupported"
  /** Somebody else changed the registry file since it was read. */
  | "registry_conflict"
  /** Another process holds the registry's lock and did not let go of it in time. */
  | "registry_locked"
  /** Not even the instruction fits the budget; `details` has the breakdown in tokens. */
  | "budget_exceeded"
  /** A delta does not belong to the state that it is applied to. */
  | "delta_mismatch"
  /** The rules of a scan name something that is not an alias prefix. */
  | "rules_invalid"
  /** A file beside the registry (the base) is not what was written. */
  | "context_corrupt"
  /** A file of a pack changed between building the pack and accepting it. */
  | "context_conflict"
  /** The operating system refused to read or write; `cause` has its error. */
  | "io_failed"
  /** The caller's signal was aborted. */
  | "aborted";

/** What this package throws. Expected bad input comes back as a `Result` instead. */
export class AliasesError extends CclError<AliasesErrorCode> {
  static override readonly brand: string = "AliasesError";
}
