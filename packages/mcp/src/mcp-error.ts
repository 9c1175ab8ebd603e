import { CclError } from "@ccl/core";

/** Why a call of this package failed. A model's mistake is returned as a result with `isError` instead. */
export type McpErrorCode =
  /** An option is invalid. The message quotes it. */
  | "invalid_options"
  /** A file of servers or client settings can't be read as such. */
  | "config_invalid"
  /** A server's list of tools never ends. */
  | "endless_list"
  /** The address can't be bound. */
  | "listen_failed"
  /** Use after `close()`. */
  | "closed";

/** The error class of this package. Messages name servers and files, never tokens or environment values. */
export class McpError extends CclError<McpErrorCode> {
  static override readonly brand: string = "McpError";
}
