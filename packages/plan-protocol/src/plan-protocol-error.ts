import { CclError } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";

/** Why a call to this package failed. Plan errors and conflicts on disk are returned as issues instead. */
export type PlanProtocolErrorCode =
  /** The root is missing, is not a folder, or cannot be read. */
  | "workspace_unusable"
  /** Journals cannot be stored in their folder. The message says why. */
  | "journal_unusable"
  /** A journal does not contain what was written to it. Its backups are kept. */
  | "journal_damaged"
  /** Another process is changing the workspace or a memory file and did not finish in time. */
  | "workspace_busy"
  /** Used after `close()`. */
  | "workspace_closed"
  | "invalid_input"
  /** `apply()` was called without text while the session had no saved plan. */
  | "no_saved_plan"
  /** Another call to the same session is still running. */
  | "session_busy"
  /** A memory file is not a JSON object. It is not modified. */
  | "memory_corrupt"
  /** A system call the workspace depends on failed. See `cause`. */
  | "io_failed"
  /** The signal aborted the call. The files are unchanged. */
  | "aborted";

/** Error thrown by this package. Messages include paths, never file content. */
export class PlanProtocolError extends CclError<PlanProtocolErrorCode> {
  static override readonly brand: string = "PlanProtocolError";
}

/** @throws PlanProtocolError `aborted` if the signal is aborted */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  throwIfAborted(signal, PlanProtocolError);
}
