import { CclError } from "@ccl/core";

/** Why a call of this package failed. What a model gets wrong comes back as a result with `isError` instead. */
export type McpErrorCode =
  /** An option makes no sense; the message quotes it. */
  | "invalid_options"
  /** A file of servers or of a client's settings can't be read as what it should be. */
  | "config_invalid"
  /** The address can't be bound. */
  | "listen_failed"
  /** Use after `close()`. */
  | "closed";

/** What this package throws. Messages name servers and files, never tokens or environment values. */
export class McpError extends CclError<McpErrorCode> {
  static override readonly brand: string = "McpError";
}
