import { CclError } from "@ccl/core";

/** Why a replay could not answer. */
export type ReplayErrorCode =
  /** The recording has no answer for this request, and no model to ask was given. */
  | "unknown_request"
  /** What the store holds is not a recording, or one of a newer version. */
  | "recording_invalid";

/** What a replay model throws itself; what the recorded model throws passes through and is not recorded. */
export class ReplayError extends CclError<ReplayErrorCode> {
  static override readonly brand: string = "ReplayError";
}
