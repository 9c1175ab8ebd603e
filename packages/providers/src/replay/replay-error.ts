import { CclError } from "@ccl/core";

/** Why the replay model could not answer. */
export type ReplayErrorCode =
  /** The recording has no answer for this request, and no model was passed. */
  | "unknown_request"
  /** The stored text is not a recording, or has a newer version. */
  | "recording_invalid";

/** Errors of the replay itself. Errors of the recorded model pass through and are not recorded. */
export class ReplayError extends CclError<ReplayErrorCode> {
  static override readonly brand: string = "ReplayError";
}
