import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type InspectorErrorCode =
  /** An option is invalid. The message quotes it. */
  | "invalid_options"
  /** There is no view of that name, or it has nothing to show. */
  | "unknown_view"
  /** The address cannot be bound. */
  | "listen_failed";

/** Errors of this package. */
export class InspectorError extends CclError<InspectorErrorCode> {
  static override readonly brand: string = "InspectorError";
}
