import { CclError } from "@ccl/core";

/** Why the gateway could not be created or started. */
export type GatewayErrorCode =
  /** An option is missing or wrong. */
  | "invalid_options"
  /** The address is taken, or may not be listened on. */
  | "listen_failed";

/** What this package throws. Requests never fail by it: they pass unchanged. */
export class GatewayError extends CclError<GatewayErrorCode> {
  static override readonly brand: string = "GatewayError";
}
