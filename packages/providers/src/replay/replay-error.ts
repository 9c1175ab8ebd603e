import { CclError } from "@ccl/core";

/** Why a replay could not answer. */
export type ReplayErrorCode =
  /** The recording has no answer for this request, and there is no model to call. */
  | "unknown_request"
  /** The stored text is not a recording, or its version is newer. */
  | "recording_invalid";

/** Errors of the replay itself. Errors of the recorded model are passed through and not recorded. */
export class ReplayError extends CclError<ReplayErrorCode> {
  static override readonly brand: string = "ReplayError";
}
