import { CclError } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";

/** Why a call of this package failed. What a plan gets wrong, or meets on the disk, comes back as issues instead. */
export type PlanProtocolErrorCode =
  /** The root is missing, is no folder, or may not be read. */
  | "workspace_unusable"
  /** Journals can't be kept where they belong; the message says why. */
  | "journal_unusable"
  /** A journal does not hold what was written to it. Its backups stay where they are. */
  | "journal_damaged"
  /** Another process is changing the workspace, or a file of memory, and did not end in time. */
  | "workspace_busy"
  /** Use after `close()`. */
  | "workspace_closed"
  | "invalid_input"
  /** `apply()` without a text while the session has no saved plan. */
  | "no_saved_plan"
  /** Another call of the same session has not ended yet. */
  | "session_busy"
  /** A file of memory holds no JSON object; it is left as it is. */
  | "memory_corrupt"
  /** The system refused a call that the workspace cannot do without; see `cause`. */
  | "io_failed"
  /** The call's signal ended it; the files are as they were. */
  | "aborted";

/** What this package throws. Messages name paths, never what stands in the files. */
export class PlanProtocolError extends CclError<PlanProtocolErrorCode> {
  static override readonly brand: string = "PlanProtocolError";
}

/** @throws PlanProtocolError `aborted` once the signal is */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  throwIfAborted(signal, PlanProtocolError);
}
