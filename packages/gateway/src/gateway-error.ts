import { CclError } from "@ccl/core";

/** Why the gateway could not be created or started. */
export type GatewayErrorCode =
  /** An option is missing or wrong. */
  | "invalid_options"
  /** The port is in use, or the address cannot be bound. */
  | "listen_failed";

/** The error class of this package. It never makes a request fail: the request passes unchanged. */
export class GatewayError extends CclError<GatewayErrorCode> {
  static override readonly brand: string = "GatewayError";
}
