import { CclError } from "@ccl/core";

/** Why the gateway could not be created or started. */
export type GatewayErrorCode =
  /** An option is missing or wrong. */
  | "invalid_options"
  /** The port is in use, or the address cannot be bound. */
  | "listen_failed";

/** Errors of this package. Requests never fail because of one, but pass unchanged. */
export class GatewayError extends CclError<GatewayErrorCode> {
  static override readonly brand: string = "GatewayError";
}
