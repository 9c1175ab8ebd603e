import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type InspectorErrorCode =
  /** An option is invalid. The message quotes it. */
  | "invalid_options"
  /** No view has that name, or the view has nothing to show. */
  | "unknown_view"
  /** The server cannot listen on the address. */
  | "listen_failed";

/** The error class of this package. */
export class InspectorError extends CclError<InspectorErrorCode> {
  static override readonly brand: string = "InspectorError";
}
