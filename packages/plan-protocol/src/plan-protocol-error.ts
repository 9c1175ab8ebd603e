import { CclError } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";

/** Why a call of this package failed. Errors in a plan, and conflicts on disk, are returned as issues instead. */
export type PlanProtocolErrorCode =
  /** The root is missing, is not a folder, or cannot be read. */
  | "workspace_unusable"
  /** Journals cannot be stored in their folder. The message says why. */
  | "journal_unusable"
  /** A journal does not hold what was written to it. Its backups stay in place. */
  | "journal_damaged"
  /** Another process is changing the workspace or a memory file, and did not finish in time. */
  | "workspace_busy"
  /** Use after `close()`. */
  | "workspace_closed"
  | "invalid_input"
  /** `apply()` was called without a text while the session has no saved plan. */
  | "no_saved_plan"
  /** Another call of the same session is still running. */
  | "session_busy"
  /** A memory file is not a JSON object. It is left unchanged. */
  | "memory_corrupt"
  /** A system call that the workspace depends on failed. See `cause`. */
  | "io_failed"
  /** The call was aborted by its signal. The files are unchanged. */
  | "aborted";

/** Errors that this package throws. Messages name paths, never the content of files. */
export class PlanProtocolError extends CclError<PlanProtocolErrorCode> {
  static override readonly brand: string = "PlanProtocolError";
}

/** @throws PlanProtocolError `aborted` if the signal is aborted */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  throwIfAborted(signal, PlanProtocolError);
}
