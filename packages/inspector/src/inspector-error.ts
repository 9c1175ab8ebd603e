import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type InspectorErrorCode =
  /** An option makes no sense; the message quotes it. */
  | "invalid_options"
  /** There is no view of that name, or nothing that it could show. */
  | "unknown_view"
  /** The address can't be bound. */
  | "listen_failed";

/** What this package throws. */
export class InspectorError extends CclError<InspectorErrorCode> {
  static override readonly brand: string = "InspectorError";
}
